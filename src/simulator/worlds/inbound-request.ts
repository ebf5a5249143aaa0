import type { Records } from "../engine/store.ts";
import { DURATION_MS, type Input } from "../engine/journal.ts";
import type { AttemptInput, OutcomeInput } from "../webhooks/exchange.ts";
import type { ChangeableSettings } from "../platform/world-settings.ts";
import { type RequestHead, journaledHead } from "./masking.ts";
import { withoutQrImages } from "../qr-images/qr-images.ts";
import { writtenCopy, writtenCopyOfText } from "../platform/written-copy.ts";
import { isJson } from "../engine/json.ts";
import { readTraceparent, TRACEPARENT, writeTraceparent } from "../webhooks/trace.ts";

/**
 * A request as the journal keeps it, with its answer as far as that is known. Unknown secrets and cards have stand-ins.
 */
export interface RequestInput extends RequestHead, Input {
  readonly kind: "request";
  /** The id of the request in the log and in the answer. */
  readonly requestId: string;
  /** The company of its token, or of the client that asks for one. */
  company: string | null;
  size: number;
  /** The text of its body, if it was read. */
  text?: string;
  /** True if the body was longer than its kept part. */
  isAltered?: true;
  /** Null if the connection was dropped instead of an answer. */
  status?: number | null;
  /** The text of the answer, if it is JSON. */
  answer?: string;
  /** True if the answer was longer than its kept part. */
  isAnswerCut?: true;
  answerHeaders?: Readonly<Record<string, string>>;
  /** The effects of the faults that touched it. */
  injected?: readonly string[];
  /** The duration of the answer in milliseconds. */
  [DURATION_MS]?: number;
}

/** The input of a request in the input of a further command. JSON leaves symbols out. */
export const FIRST_INPUT = Symbol("the first input of the request");

/** Every input of a world, as its journal keeps it with a cause. */
export type WorldInput =
  | RequestInput
  | AttemptInput
  | OutcomeInput
  /** A further command for a request whose input is in the journal already. */
  | (Input & { readonly kind: "continued"; readonly [FIRST_INPUT]?: RequestInput })
  /** A move of the clock. `asked` is the body of the request for it. */
  | (Input & {
      readonly kind: "move";
      readonly from: number;
      readonly to: number;
      readonly asked?: string;
    })
  /** A change of settings that no request asked for. */
  | (Input & { readonly kind: "settings"; readonly changed: Partial<ChangeableSettings> });

/** The longest kept part of a body, and of an answer. */
const KEPT_CHARACTERS_MAX = 16_000;

/** The size of an input without its texts, in characters. */
const HEAD_SIZE = 300;

/** The name of a call whose path has no operation. */
export const UNKNOWN_PATH = "unknown-path";

const CONTINUED: WorldInput = { kind: "continued", size: 0 };

/**
 * A request from outside while it is answered. Code that runs a command for the request passes it to the world. The
 * world writes the content of the request into the journal: with the entry of its first change, or as a note if it
 * changed nothing.
 *
 * The journal gets copies of the texts, because a reference to the request would keep its connection open.
 */
export class InboundRequest {
  /** The id of the request in the log and in the answer. */
  readonly id: string;
  readonly head: RequestHead;
  /** True if its body is JSON, false if it is not; undefined if nothing parsed it. */
  isJson: boolean | undefined;
  /** The text of its body, once it was read. */
  body: string | undefined;
  /** Its answer, as far as it is known. The status is null if the connection was dropped instead. */
  #answered: {
    readonly status?: number | null;
    readonly text?: string;
    readonly headers?: RequestHead["headers"];
  } = {};
  /** True if its connection was dropped instead of an answer. */
  isDropped = false;
  /** The effects of the faults that touched it. */
  injected: readonly string[] = [];
  #input: RequestInput | undefined;
  /** The records that show which secrets are known; released at the end of the request. */
  #records: Records | undefined;
  /** Whether the journal has it. */
  isJournaled = false;
  #leaveNote: (() => void) | undefined;
  #company: string | null = null;
  #durationMs: number | undefined;

  /** Its `traceparent` header, if that is right. */
  readonly #traceparent: string | undefined;

  constructor(head: RequestHead, id: string) {
    const context = readTraceparent(head.headers[TRACEPARENT]);
    this.#traceparent = context && writeTraceparent(context);
    this.head = head;
    this.id = id;
  }

  get answer(): string | undefined {
    return this.#answered.text;
  }

  /** Notes the text of the body. */
  bodyRead(text: string): void {
    this.body = text;
    if (this.#input !== undefined && this.#records !== undefined) this.#keepBody(this.#input, this.#records);
  }

  /** It is answered with this status and JSON text. */
  answered(status: number, text: string, headers: Readonly<Record<string, string>>): void {
    this.#answered = { status, text, headers };
    if (this.#input !== undefined && this.#records !== undefined) this.#complete(this.#input, this.#records);
  }

  /** A client of this company sent it. */
  sentBy(company: string): void {
    this.#company = company;
    if (this.#input !== undefined) this.#input.company = company;
  }

  /** Faults with these effects touched it. */
  touchedBy(effects: readonly string[]): void {
    if (effects.length === 0) return;
    this.injected = [...this.injected, ...effects];
    if (this.#input !== undefined) this.#input.injected = this.injected;
  }

  /**
   * Its answer is sent, after this time on the wall clock; the status is null if the connection was dropped. A request
   * that changed nothing becomes a note.
   */
  ended(status: number | null, durationMs: number): void {
    // A text that was written but never sent does not count as an answer.
    this.#answered = status === null ? { status } : { ...this.#answered, status };
    this.#durationMs = durationMs;
    if (this.#input !== undefined) this.#end(this.#input);
    if (this.isJournaled) return;
    this.isJournaled = this.#leaveNote !== undefined;
    this.#leaveNote?.();
  }

  /** Returns the input of a further command for the request. */
  get continued(): WorldInput {
    const traceparent = this.#traceparent;
    return {
      ...CONTINUED,
      ...(traceparent !== undefined && { traceparent }),
      ...(this.#input && { [FIRST_INPUT]: this.#input }),
    };
  }

  /** Returns the journal's record of the request. */
  inputFor(records: Records): RequestInput {
    if (this.#input !== undefined) return this.#input;
    const head = journaledHead(this.head, records);
    const input: RequestInput = {
      kind: "request",
      ...head,
      requestId: this.id,
      company: this.#company,
      size: HEAD_SIZE + lengthOf(head.headers),
      ...(this.#traceparent !== undefined && { traceparent: this.#traceparent }),
    };
    if (this.injected.length > 0) input.injected = this.injected;
    this.#input = input;
    this.#records = records;
    if (this.body !== undefined) this.#keepBody(input, records);
    this.#complete(input, records);
    if (this.#durationMs !== undefined) this.#end(input);
    return input;
  }

  #end(input: RequestInput): void {
    input.status = this.#answered.status ?? null;
    if (input.status === null) {
      delete input.answer;
      delete input.answerHeaders;
    }
    input[DURATION_MS] = Math.round((this.#durationMs ?? 0) * 10) / 10;
  }

  #keepBody(input: RequestInput, records: Records): void {
    const text = this.body ?? "";
    input.text = keptPart(this.#isText(text) ? writtenCopyOfText(text, records) : writtenCopy(text, records));
    input.size += input.text.length;
    if (text.length > KEPT_CHARACTERS_MAX) input.isAltered = true;
  }

  #complete(input: RequestInput, records: Records): void {
    const { status, text, headers } = this.#answered;
    if (status !== undefined) input.status = status;
    if (text === undefined || headers === undefined) return;
    const whole = (status ?? 0) < 400 ? withoutQrImages(text) : this.#writtenRefusal(text, records);
    input.answer = keptPart(whole);
    if (whole.length > KEPT_CHARACTERS_MAX) input.isAnswerCut = true;
    input.answerHeaders = headers;
    input.size += input.answer.length + lengthOf(headers);
  }

  /** Returns a refusal as it is written down. It may quote a body that is masked by its look. */
  #writtenRefusal(text: string, records: Records): string {
    return this.body !== undefined && this.#isText(this.body) ? writtenCopyOfText(text, records) : text;
  }

  /** Returns true if the body is neither JSON nor empty. */
  #isText(text: string): boolean {
    if (text === "") return false;
    return !(this.isJson ??= isJson(text));
  }

  /** A command of this request changed nothing: unless another one does, `leaveNote` adds it to the journal. */
  changedNothing(leaveNote: () => void): void {
    this.#leaveNote = leaveNote;
  }
}

/** Returns the beginning of a text as a copy: a slice would keep all of the text in memory. */
function keptPart(text: string): string {
  if (text.length <= KEPT_CHARACTERS_MAX) return text;
  return Buffer.from(text.slice(0, KEPT_CHARACTERS_MAX)).toString();
}

function lengthOf(headers: Readonly<Record<string, string>>): number {
  let length = 0;
  for (const name in headers) length += name.length + headers[name]!.length;
  return length;
}

/** The token in the value of an `Authorization` header. */
export function bearerIn(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1];
}
