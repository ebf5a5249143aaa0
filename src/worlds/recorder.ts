import type { AttemptResult } from "../webhooks/attempt.ts";
import type { DispatchWatcher, OpenedAttempt } from "../webhooks/dispatcher.ts";
import type { Inbound } from "./inbound.ts";

/** One thing that reached a world from outside, at the world's time, in the order in which the world took it. */
export type RecordedItem =
  | { readonly kind: "request"; readonly at: number; readonly request: Inbound }
  | { readonly kind: "opened"; readonly at: number; readonly attempts: readonly OpenedAttempt[] }
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
      readonly request: Inbound | undefined;
    };

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
export class Recorder implements DispatchWatcher {
  readonly #isWhole: boolean;
  #items: RecordedItem[];
  #isFull: boolean;
  #characters = 0;

  constructor(mark: RecordingMark = NOTHING) {
    this.#items = [...mark.items];
    this.#isFull = mark.isFull;
    this.#isWhole = mark.isWhole;
  }

  /** A request changed the world, or may have; each is taken down once. */
  requested(at: number, request: Inbound): void {
    if (this.#isFull || request.takenDownBy === this) return;
    request.takenDownBy = this;
    this.#take({ kind: "request", at, request }, request.text?.length);
  }

  opened(at: number, attempts: readonly OpenedAttempt[]): void {
    this.#take({ kind: "opened", at, attempts });
  }

  answered(at: number, name: string, result: AttemptResult): void {
    this.#take({ kind: "answered", at, name, result }, result.responseBody.length);
  }

  advanced(at: number, from: number, request: Inbound | undefined): void {
    this.#take({ kind: "advanced", at, from, request });
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
