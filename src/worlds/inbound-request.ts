import type { Input } from "../engine/journal.ts";
import type { Simulation } from "../engine/simulation.ts";
import { companies } from "../platform/companies/company.ts";
import { accessTokens } from "../platform/companies/access.ts";
import { testCards } from "../platform/orders/checkout.ts";

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly origin: string;
  /** The headers that a world's answer may depend on; null where they were not sent. */
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly idempotencyKey: string | null;
  /** The header x-sandbox-plan, where it was sent. */
  readonly plan?: string;
}

/** A request as the journal keeps it, with its answer as far as that is known. Unknown secrets and cards are masked. */
export interface RequestInput extends RequestHead, Input {
  readonly kind: "request";
  /** The id by which the log and the answer name it; absent in process. */
  readonly requestId?: string;
  size: number;
  /** The text of its body, where it was read. */
  text?: string;
  /** Whether the body was longer than what is kept of it, or a card in it is masked. */
  isAltered?: true;
  /** Null where the connection was dropped instead of an answer. */
  status?: number | null;
  /** The text of the answer, where it is JSON and not too long to be kept. */
  answer?: string;
}

type Records = Simulation["records"];

/** How much of a body, and of an answer, is kept. */
const KEPT_CHARACTERS_MAX = 16_000;

/** A text of that length in an answer is an image; it is replaced by null. */
const PICTURE_LENGTH_MIN = 2_000;

/** How much of an answer is kept where nothing was changed; of a longer one only the outline. Most requests only read. */
const NOTE_ANSWER_CHARACTERS_MAX = 1_000;

/** The size of an input without its texts, in characters. */
const HEAD_SIZE = 300;

/** The input of a further command for a request whose input is in the journal already. */
export const CONTINUED: Input = { kind: "continued", size: 0 };

/**
 * A request from outside while it is answered. Code that runs a command for it passes it to the world, which puts what
 * the request said into the journal: with the entry that its first change makes, or as a note where it changed nothing.
 * The journal gets copies of the texts, because a reference to the request would keep its connection open.
 */
export class InboundRequest {
  /** The id by which the log and the answer name it; undefined in process. */
  readonly id: string | undefined;
  readonly #readHead: () => RequestHead;
  #text: string | undefined;
  #status: number | null | undefined;
  #answer: string | undefined;
  #input: RequestInput | undefined;
  /** The records that show which secrets are known; released at the end of the request. */
  #records: Records | undefined;
  #isJournaled = false;
  #leaveNote: (() => void) | undefined;

  constructor(readHead: () => RequestHead, id?: string) {
    this.id = id;
    this.#readHead = readHead;
  }

  get head(): RequestHead {
    return this.#readHead();
  }

  /** The text of its body, once it was read. */
  get body(): string | undefined {
    return this.#text;
  }

  get answer(): string | undefined {
    return this.#answer;
  }

  /** Its body was read. */
  bodyRead(text: string): void {
    this.#text = text;
    if (this.#input !== undefined && this.#records !== undefined) this.#keepBody(this.#input, this.#records);
  }

  /** It is answered with this value, and with its JSON text. */
  answered(status: number, body: unknown, text: string): void {
    this.#status = status;
    if (!this.#isJournaled && text.length > NOTE_ANSWER_CHARACTERS_MAX) this.#answer = outlineOf(body);
    else if (text.length <= KEPT_CHARACTERS_MAX) this.#answer = text;
    if (this.#input !== undefined) complete(this.#input, status, this.#answer);
  }

  /** Its answer is sent; null if the connection was dropped. A request that changed nothing becomes a note. */
  ended(status: number | null): void {
    this.#status = status;
    if (this.#input !== undefined) this.#input.status = status;
    if (this.#isJournaled) return;
    this.#isJournaled = this.#leaveNote !== undefined;
    this.#leaveNote?.();
  }

  /** What the journal keeps of it. */
  inputFor(records: Records): RequestInput {
    if (this.#input !== undefined) return this.#input;
    const head = this.#readHead();
    const authorization = maskedAuthorization(head.authorization, records);
    const input: RequestInput = {
      kind: "request",
      ...head,
      authorization,
      size: HEAD_SIZE + (head.plan?.length ?? 0),
      ...(this.id !== undefined && { requestId: this.id }),
    };
    this.#input = input;
    this.#records = records;
    if (this.#text !== undefined) this.#keepBody(input, records);
    if (this.#status !== undefined) complete(input, this.#status, this.#answer);
    return input;
  }

  /** Whether the journal has it. */
  get isJournaled(): boolean {
    return this.#isJournaled;
  }

  /** An entry of the journal carries it. */
  journaled(): void {
    this.#isJournaled = true;
  }

  #keepBody(input: RequestInput, records: Records): void {
    const text = this.#text ?? "";
    const masked = maskedBody(text, input, records);
    input.text = keptPart(masked);
    input.size += input.text.length;
    // A secret that is masked is refused as before; any other change may leave other records.
    if (masked.length > KEPT_CHARACTERS_MAX || (masked !== text && text.includes('"card"')))
      input.isAltered = true;
  }

  /** A command of this request changed nothing: unless another one does, `leaveNote` adds it to the journal. */
  changedNothing(leaveNote: () => void): void {
    this.#leaveNote = leaveNote;
  }
}

/** The beginning of a text as a text of its own: a slice would keep all of the text in memory. */
function keptPart(text: string): string {
  if (text.length <= KEPT_CHARACTERS_MAX) return text;
  return Buffer.from(text.slice(0, KEPT_CHARACTERS_MAX)).toString();
}

function complete(input: RequestInput, status: number | null, answer: string | undefined): void {
  input.status = status;
  if (answer === undefined) return;
  input.answer = withoutPictures(answer);
  input.size += input.answer.length;
}

/** The fields by which an answer is recognised. */
function outlineOf(body: unknown): string {
  const { id, status, error } = (body ?? {}) as { id?: unknown; status?: unknown; error?: unknown };
  return JSON.stringify({ id, status, error });
}

/** Replaces long texts without quotes by null. */
function withoutPictures(json: string): string {
  let kept = "";
  let from = 0;
  for (let start = json.indexOf('"'); start >= 0;) {
    const end = json.indexOf('"', start + 1);
    if (end - start > PICTURE_LENGTH_MIN && json[start - 1] !== "\\") {
      kept += `${json.slice(from, start)}null`;
      from = end + 1;
      start = json.indexOf('"', from);
    } else start = end;
  }
  return from === 0 ? json : kept + json.slice(from);
}

/** What a masked value becomes: it is refused as the unknown value was, so that a recording can be replayed. */
const MASK = "masked";

/** Unknown tokens that are longer may be real ones. */
const UNKNOWN_TOKEN_LENGTH_MAX = 20;

function maskedAuthorization(header: string | null, records: Records): string | null {
  const [, scheme = "", value = ""] = /^(\S+) +(\S+) *$/.exec(header ?? "") ?? [];
  if (/^bearer$/i.test(scheme)) {
    const isShown =
      value.length <= UNKNOWN_TOKEN_LENGTH_MAX || records.get(accessTokens, value) !== undefined;
    return isShown ? header : `${scheme} ${MASK}`;
  }
  if (!/^basic$/i.test(scheme)) return header;
  const [client = "", ...secret] = Buffer.from(value, "base64").toString("utf8").split(":");
  if (isKnownSecret(secret.join(":"), records)) return header;
  return `${scheme} ${Buffer.from(`${client}:${MASK}`).toString("base64")}`;
}

function maskedBody(text: string, { contentType }: RequestHead, records: Records): string {
  if (text.includes("client_secret") && !contentType?.startsWith("application/json")) {
    return text.replaceAll(
      /(^|&)(client_secret=)([^&]*)/g,
      (whole, before: string, name: string, secret: string) =>
        isKnownSecret(decodeFormPart(secret), records) ? whole : `${before}${name}${MASK}`,
    );
  }
  if (!text.includes('"card"')) return text;
  return text.replaceAll(/"card"\s*:\s*\{[^{}]*/g, (card) => maskedCard(card, records));
}

/**
 * The numbers of test cards decide what happens, so they stay. Of any other card the first six and the last four
 * digits do; the rest becomes zeros and one digit that keeps the check sum, so that the number stays as valid as it was.
 */
function maskedCard(card: string, records: Records): string {
  const [, number] = /"number"\s*:\s*"?(\d{12,19})/.exec(card) ?? [];
  if (number === undefined || records.get(testCards, number) !== undefined) return card;
  const zeros = `${number.slice(0, 6)}${"0".repeat(number.length - 10)}${number.slice(-4)}`;
  const digit = (10 + checkSum(number) - checkSum(zeros)) % 10;
  const masked = `${zeros.slice(0, -5)}${digit}${zeros.slice(-4)}`;
  return card
    .replace(number, masked)
    .replace(
      /("securityCode"\s*:\s*")(\d+)/,
      (_, name: string, code: string) => name + "0".repeat(code.length),
    );
}

/** The check sum of card numbers (Luhn): every second digit from the right counts double, modulo ten. */
function checkSum(number: string): number {
  const digits = Array.from(number, Number).toReversed();
  return (
    digits.reduce(
      (sum, digit, place) => sum + (place % 2 === 0 ? digit : ((digit * 2) % 10) + (digit > 4 ? 1 : 0)),
      0,
    ) % 10
  );
}

function isKnownSecret(secret: string, records: Records): boolean {
  for (const { clientSecret } of records.all(companies)) if (clientSecret === secret) return true;
  return false;
}

function decodeFormPart(part: string): string {
  return new URLSearchParams(`part=${part}`).get("part") ?? "";
}
