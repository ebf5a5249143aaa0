import { type Operation } from "../../../simulator/api/operations.ts";
import { at, isRecord, listAt, textAt } from "../../../simulator/engine/json.ts";
import { type Instant, parseInstant } from "../../../simulator/engine/instant.ts";

/** The place of an entry in the recorded files. */
export interface EntryPlace {
  readonly file: string;
  /** Its index in `log.entries`, from 0. */
  readonly index: number;
}

/** The earliest and the latest instant of an event. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** A change of status that was seen, held against the lifecycle table of its resource. */
export interface SeenTransition {
  readonly resource: string;
  /** Null if the resource was not seen before. */
  readonly from: string | null;
  readonly to: string;
  readonly verdict: "legal" | "unknown" | "out-of-order";
  readonly entry: EntryPlace;
}

/** A call of the platform API, with its answer. */
export interface TrafficCall {
  readonly entry: EntryPlace;
  /** Its place among all calls and webhooks of the session. */
  readonly order: number;
  /** The company of the caller, as far as tokens show. Empty without a token. */
  readonly company: string;
  /** True if the company is known by its client id, not only by its token. */
  readonly isCompanyKnown: boolean;
  /** The operation. Null for a path that the platform API does not have. */
  readonly operation: string | null;
  readonly description: Operation | null;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  /** The parsed body. Undefined if it is missing or not JSON. */
  readonly body: unknown;
  readonly status: number;
  /** The headers of the answer by names in lower case. */
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** True if the file has headers of the request, and of the answer. */
  readonly hasRequestHeaders: boolean;
  readonly hasAnswerHeaders: boolean;
  readonly answer: unknown;
  /** The time of the answer, on the clock of the platform. */
  readonly at: Span;
  /** From its beginning to its end, on the clock of the recorder. */
  readonly recorded: Span;
  /** These moments may be later than written by this time. */
  readonly precisionMs: number;
  /** The problems that the shape of the request finds, and fields that it does not have. */
  readonly requestProblems: readonly {
    readonly field: string;
    readonly issue: string;
    readonly description: string;
  }[];
  readonly unknownFields: readonly string[];
}

/** One attempt of a webhook, with the answer of the partner. */
export interface Webhook {
  readonly entry: EntryPlace;
  readonly order: number;
  readonly url: string;
  readonly event: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The partner's status, or 0 without an answer. */
  readonly status: number;
  /** The body of the partner's answer. */
  readonly answer: unknown;
  /** The time of the event in its body. */
  readonly at: Span | undefined;
  /** From the beginning of the attempt to its end, on the clock of the recorder. */
  readonly recorded: Span;
  /** These moments may be later than written by this time. */
  readonly precisionMs: number;
  /** Its end may be recorded later than it was by this time, because the recorder was busy. */
  readonly lateMs: number;
  /** The reason why the answer is missing. */
  readonly error: string | null;
  /** True if a person caused the event. Then its delay has no meaning. */
  readonly isByHand: boolean;
  /** The secret that signed it, or its placeholder. Null if no known secret fits. */
  readonly signedWith: string | null;
}

/** The events of one delivery: every attempt of the same bytes to the same URL. */
type DeliveryAttempts = readonly [Webhook, ...Webhook[]];

/** One recorded session with one platform, in the order of events. */
export class Traffic {
  readonly calls: readonly TrafficCall[];
  readonly changes: readonly SeenTransition[];
  /** The relation of the recorder's clock to the platform's clock: one clock, shifted, or two clocks. */
  readonly clocks: "one" | "shifted" | "two";
  /** The attempts of each delivery, in order. */
  readonly deliveries: readonly DeliveryAttempts[];
  /** The first attempt of each delivery. */
  readonly events: readonly Webhook[];
  readonly webhooks: readonly Webhook[];
  /** The missing parts. If a part is missing, the absence of a call or an event proves little. */
  readonly missing: {
    /** True if calls without a known request or answer may have changed something. */
    readonly calls: boolean;
    /** True if the bodies of some webhooks are unknown. */
    readonly webhooks: boolean;
  };

  constructor({
    calls,
    webhooks,
    changes,
    clocks,
    missing,
  }: Pick<Traffic, "calls" | "webhooks" | "changes" | "clocks" | "missing">) {
    this.missing = missing;
    this.calls = calls;
    this.webhooks = webhooks;
    this.changes = changes;
    this.clocks = clocks;
    const deliveries = Map.groupBy(webhooks, ({ url, body }) => `${url} ${JSON.stringify(body)}`);
    this.deliveries = [...deliveries.values()] as unknown as DeliveryAttempts[];
    this.events = this.deliveries.map(([first]) => first);
  }

  /** Returns the calls of operations, with any answer. */
  of(...operations: readonly string[]): TrafficCall[] {
    return this.calls.filter(({ operation }) => operation !== null && operations.includes(operation));
  }

  /** Returns the calls of operations that succeeded. */
  done(...operations: readonly string[]): TrafficCall[] {
    return this.of(...operations).filter(isDone);
  }

  /**
   * Returns the calls that created objects, by the id in the answer. Of several calls with one id, the first counts.
   */
  created(...operations: readonly string[]): ReadonlyMap<string, TrafficCall> {
    const found = new Map<string, TrafficCall>();
    for (const call of this.done(...operations)) {
      const id = textAt(call.answer, "id");
      if (id !== undefined && !found.has(id)) found.set(id, call);
    }
    return found;
  }

  /** Returns the events of these names. A name that ends in a star means all names that begin with it. */
  named(...names: readonly string[]): Webhook[] {
    return this.events.filter(({ event }) =>
      names.some((name) => (name.endsWith("*") ? event.startsWith(name.slice(0, -1)) : event === name)),
    );
  }
}

/** Events by a text in their bodies, oldest first. */
export function inTimeBy(path: string, events: readonly Webhook[]): ReadonlyMap<string, readonly Webhook[]> {
  const ordered = events.toSorted((one, other) => (one.at?.from ?? 0) - (other.at?.from ?? 0));
  return Map.groupBy(ordered, ({ body }) => textAt(body, path) ?? "");
}

/** Returns the last event with each text in its body. */
export function lastBy(path: string, events: readonly Webhook[]): ReadonlyMap<string | undefined, Webhook> {
  return new Map(events.map((event) => [textAt(event.body, path), event]));
}

export function isDone({ status }: Pick<TrafficCall, "status">): boolean {
  return status >= 200 && status < 300;
}

/**
 * Returns true if the platform refused the request itself. A failure of the server or a limit of rate does not count.
 */
export function isRefused({ status }: Pick<TrafficCall, "status">): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 429 && status !== 408;
}

/** Returns true if the request's shape shows no problem. */
export function isWellFormed({ requestProblems }: TrafficCall): boolean {
  return requestProblems.length === 0;
}

/** Returns true if two exchanges began at one recorded instant. The order of their entries then shows nothing. */
export function isSameInstant(
  one: Pick<TrafficCall, "recorded">,
  other: Pick<TrafficCall, "recorded">,
): boolean {
  return one.recorded.from === other.recorded.from;
}

/** Reads a field that is a timestamp, as the interval of its written precision. */
export function momentAt(value: unknown, path: string): Span | undefined {
  const text = textAt(value, path) ?? "";
  const from = parseInstant(text);
  return from === undefined ? undefined : { from, to: from + writtenPrecision(text) };
}

/** Returns how far a moment may be later than it is written: 999 ms for whole seconds, 0 for milliseconds. */
export function writtenPrecision(written: string): number {
  const [, seconds, digits = ""] = /[Tt ]\d\d:\d\d(:\d\d)?(?:[.,](\d+))?/.exec(written) ?? [];
  if (seconds === undefined) return 59_999;
  return digits.length > 2 ? 0 : 10 ** (3 - digits.length) - 1;
}

/** Returns the least distance between two moments: 0 if they may be the same. */
export function gapBetween(one: Span, other: Span): number {
  return Math.max(0, one.from - other.to, other.from - one.to);
}

/** Returns the interval of the beginning of an exchange, on the clock of the recorder. */
export function beginOf({
  recorded: { from },
  precisionMs,
}: Pick<TrafficCall, "recorded" | "precisionMs">): Span {
  return { from, to: from + precisionMs };
}

/** Returns the interval of the end of an exchange, on the clock of the recorder. */
export function finishOf({
  recorded: { to },
  precisionMs,
}: Pick<TrafficCall, "recorded" | "precisionMs">): Span {
  return { from: to - precisionMs, to };
}

/**
 * Returns the amount in a field, as a number of cents. The field is a text or a JSON number with at most two decimals.
 */
export function centsAt(value: unknown, path: string): number | undefined {
  const found = at(value, path);
  if (typeof found !== "string" && typeof found !== "number") return undefined;
  const [, whole, decimals = ""] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(String(found)) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
}

/** Returns the details of a refusal: the fields it names. */
export function detailsOf({ answer }: Pick<TrafficCall, "answer">): TrafficCall["requestProblems"] {
  return listAt(answer, "details")
    .filter(isRecord)
    .map((detail) => ({
      field: textAt(detail, "field") ?? "",
      issue: textAt(detail, "issue") ?? "",
      description: textAt(detail, "description") ?? "",
    }));
}

/**
 * Returns true if a refusal is about a field. If the answer is a list of sentences, one of them must name the field.
 */
export function isRefusedFor(call: TrafficCall, field: RegExp): boolean {
  if (!isRefused(call)) return false;
  if (Array.isArray(call.answer)) return call.answer.some((sentence) => field.test(String(sentence)));
  return detailsOf(call).some((detail) => field.test(detail.field));
}

/** Returns the moment of a creation: the time in the answer, or the time of its arrival. */
export function createdAt(call: TrafficCall, path = "createdAt"): Span {
  return momentAt(call.answer, path) ?? call.at;
}
