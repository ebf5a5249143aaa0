import type { AttemptResult, Destination } from "../webhooks/attempt.ts";
import type { DeliveryWatcher, OpenedAttempt } from "../webhooks/deliveries.ts";
import type { Inbound, RequestRecord } from "./inbound.ts";

/** One thing that reached a world from outside, at the world's time, in the order in which the world took it. */
export type RecordedItem =
  | { readonly kind: "request"; readonly at: number; readonly request: RequestRecord }
  | { readonly kind: "opened"; readonly at: number; readonly attempts: readonly RecordedAttempt[] }
  | {
      readonly kind: "answered";
      readonly at: number;
      readonly name: string;
      readonly result: AttemptResult;
    }
  | {
      readonly kind: "advanced";
      readonly at: number;
      readonly from: number;
      /** The request that asked for it. */
      readonly request: RequestRecord | undefined;
    };

/** An attempt on its way, with what decides whether a receiver gets to see it. */
export interface RecordedAttempt {
  readonly name: string;
  /** Whether it is lost on purpose before it leaves. */
  readonly isUnsent: boolean;
  readonly request: Destination;
}

/** What was recorded up to an instant. */
export interface RecordingMark {
  readonly items: readonly RecordedItem[];
  readonly isFull: boolean;
  /** False for what goes on from a state whose past nobody recorded. */
  readonly isWhole: boolean;
}

const NOTHING: RecordingMark = { items: [], isFull: false, isWhole: true };

/** Past these a recording takes no more, so that a busy server does not fill its memory with its own past. */
export const RECORDED_ITEMS_MAX = 20_000;
const RECORDED_CHARACTERS_MAX = 32_000_000;

/** Takes down all that reaches one life of a world: requests, answers of receivers, and moves of the clock. */
export class Recorder implements DeliveryWatcher {
  readonly #isWhole: boolean;
  #items: RecordedItem[];
  #isFull: boolean;
  #characters = 0;
  /** The request that was taken down last. */
  #last: RequestRecord | undefined;

  constructor(mark: RecordingMark = NOTHING) {
    this.#items = [...mark.items];
    this.#isFull = mark.isFull;
    this.#isWhole = mark.isWhole;
  }

  /** A request changed the world, or may have; each is taken down once. */
  requested(at: number, request: Inbound): void {
    if (this.#isFull || request.takenDownBy === this) return;
    request.takenDownBy = this;
    const { record } = request;
    // By now the answer to the one before is known.
    this.#take(
      { kind: "request", at, request: record },
      lengthOf(record.text) + lengthOf(this.#last?.answer),
    );
    this.#last = record;
  }

  opened(at: number, attempts: readonly OpenedAttempt[]): void {
    if (this.#isFull) return;
    this.#take({ kind: "opened", at, attempts: attempts.map(recordedAttempt) });
  }

  answered(at: number, name: string, result: AttemptResult): void {
    this.#take({ kind: "answered", at, name, result }, result.responseBody.length);
  }

  advanced(at: number, from: number, request: Inbound | undefined): void {
    this.#take({ kind: "advanced", at, from, request: request?.record });
  }

  /** What was recorded so far, to be shown or gone on from. */
  mark(): RecordingMark {
    return { items: [...this.#items], isFull: this.#isFull, isWhole: this.#isWhole };
  }

  #take(item: RecordedItem, characters = 0): void {
    this.#characters += characters;
    this.#isFull ||= this.#items.length >= RECORDED_ITEMS_MAX || this.#characters > RECORDED_CHARACTERS_MAX;
    if (!this.#isFull) this.#items.push(item);
  }
}

/** What a recording needs of an attempt, which is not what it carries. */
function recordedAttempt({ name, unsent, request }: OpenedAttempt): RecordedAttempt {
  const { url, egressMode, manner } = request;
  return { name, isUnsent: unsent !== undefined, request: { url, egressMode, manner } };
}

function lengthOf(text: string | undefined): number {
  return text?.length ?? 0;
}
