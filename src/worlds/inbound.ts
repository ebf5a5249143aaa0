import { AsyncLocalStorage } from "node:async_hooks";

/** What a request says before its body. */
export interface RequestHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly origin: string;
  /** The headers that a world's answer may depend on; null where they were not sent. */
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly idempotencyKey: string | null;
}

/** A request as it is taken down, and what came of it as far as that is known. */
export interface RequestRecord extends RequestHead {
  /** The text of its body, where it was read. */
  text: string | undefined;
  /** Null where the connection was dropped in place of an answer. */
  status: number | null | undefined;
  /** The text of the answer, where it is JSON and not too long to be kept. */
  answer: string | undefined;
}

/** What is longer is a report or a long list, and no later step has to name what is in it. */
const ANSWER_KEPT_CHARACTERS_MAX = 16_000;

/** A text of that length is a picture, and no step names one. */
const PICTURE_LENGTH_MIN = 2_000;

/**
 * A request as it came in from outside, while it is answered. What is kept of it beyond that is a record of its
 * own, and nothing but words: whatever holds on to a request holds on to its connection too.
 */
export class Inbound {
  /** The id that its answer and the log name it by; undefined in process. */
  readonly requestId: string | undefined;
  readonly #readHead: () => RequestHead;
  /** Who has taken it down last. */
  takenDownBy: object | undefined = undefined;
  #text: string | undefined;
  #status: number | null | undefined;
  #answer: string | undefined;
  #record: RequestRecord | undefined;

  constructor(readHead: () => RequestHead, requestId?: string) {
    this.requestId = requestId;
    this.#readHead = readHead;
  }

  /** The record of it, which goes on to tell what comes of it. */
  get record(): RequestRecord {
    return (this.#record ??= {
      ...this.#readHead(),
      text: this.#text,
      status: this.#status,
      answer: this.#answer,
    });
  }

  /** Its body was read. */
  heard(text: string): void {
    this.#text = text;
    if (this.#record !== undefined) this.#record.text = text;
  }

  /** What it is answered with, as a value and as JSON. */
  answered(body: unknown, text: string): void {
    if (text.length > ANSWER_KEPT_CHARACTERS_MAX) return;
    if (this.#record === undefined) this.#answer = text;
    else this.#record.answer = JSON.stringify(body, withoutPictures);
  }

  /** Its answer goes out. */
  ended(status: number | null): void {
    this.#status = status;
    if (this.#record !== undefined) this.#record.status = status;
  }
}

function withoutPictures(_name: string, value: unknown): unknown {
  return typeof value === "string" && value.length >= PICTURE_LENGTH_MIN ? undefined : value;
}

/** The request that the code now running works for, so that what a world takes can be told by where it came from. */
export const inbound = new AsyncLocalStorage<Inbound>();
