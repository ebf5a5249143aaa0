import type { CauseCode } from "../../src/checks/cause-texts.ts";

/** A value that a partner's design may have, and what the judge has to say of it. */
export interface Value {
  readonly name: string;
  /** False if a draw does not have the value, because it would hide others. Tests name it. */
  readonly isDrawn?: false;
  /** Absent for a right value. */
  readonly wrong?: {
    /** The tools that can show it with what they try. */
    readonly shownBy: readonly ToolName[];
    /** The codes of the right causes. Every other code is wrong. Without codes, the right verdict is undecided. */
    readonly causes: readonly (CauseCode | OwnCode)[];
  };
}

/** Checks without a state have their id as their code, lints their name, and books the path of their sum. */
type OwnCode = `S${number}` | `$books.${string}` | "two-keys" | "no-key";

export type ToolName =
  "explore webhooks" | "explore calls" | "explore nights" | "receiver check" | "books" | "lints" | "certify";

const right = <const Name extends string>(name: Name) => ({ name });

/** Every choice of a design, each with several values. The first value is right. */
export const choices = {
  storage: [
    right("before the answer"),
    right("inbox with a worker"),
    right("outbox"),
    {
      name: "after the answer",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["acknowledged-before-stored"],
      },
    },
    {
      name: "never for each third",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["acknowledged-before-stored"],
      },
    },
    {
      name: "only in memory",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["state-in-memory"],
      },
    },
  ],
  recognition: [
    right("event id"),
    right("object and status"),
    right("hash of the body"),
    { name: "none", wrong: { shownBy: ["explore webhooks", "receiver check"], causes: ["handled-twice"] } },
    // Two refunds of one instant are taken for one.
    { name: "object and time", wrong: { shownBy: ["books"], causes: ["$books.refunded"] } },
    {
      name: "memory of two",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["handled-events-forgotten"],
      },
    },
    {
      name: "in memory only",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["handled-events-forgotten"],
      },
    },
    // Two copies of different events show it.
    { name: "one copy", isDrawn: false, wrong: { shownBy: [], causes: ["handled-twice"] } },
    {
      name: "memory of one",
      isDrawn: false,
      wrong: { shownBy: ["explore webhooks"], causes: ["handled-events-forgotten", "handled-twice"] },
    },
  ],
  order: [
    right("rank of states"),
    right("updatedAt"),
    right("reading the object"),
    {
      name: "last arrival",
      wrong: { shownBy: ["explore webhooks", "receiver check"], causes: ["older-overwrites-newer"] },
    },
    {
      name: "last arrival for charges",
      wrong: { shownBy: ["explore webhooks", "receiver check"], causes: ["older-overwrites-newer"] },
    },
    // Only a system that forgets events handles a copy.
    {
      name: "last arrival for copies",
      isDrawn: false,
      wrong: { shownBy: [], causes: ["older-overwrites-newer"] },
    },
  ],
  unknown: [
    right("stored from the event"),
    right("kept for later"),
    right("503 until known"),
    {
      name: "dropped",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["unknown-object-forgotten"],
      },
    },
  ],
  concurrency: [
    right("lock by object"),
    right("lock by account"),
    {
      name: "none",
      wrong: { shownBy: ["explore webhooks", "receiver check"], causes: ["race-of-copies", "lost-update"] },
    },
    // The machine of the judge gives two events of one instant different moments.
    {
      name: "lock by event",
      isDrawn: false,
      wrong: { shownBy: [], causes: ["lost-update"] },
    },
  ],
  signature: [
    right("raw bytes"),
    right("text comparison"),
    {
      name: "re-serialised JSON",
      wrong: {
        shownBy: ["receiver check"],
        causes: ["S7"],
      },
    },
    {
      name: "not verified",
      wrong: { shownBy: ["receiver check"], causes: ["S1", "S2", "S3", "S4", "S6", "S13"] },
    },
  ],
  calls: [
    right("key stored first"),
    right("look-up first"),
    right("worker that honours Retry-After"),
    {
      name: "new key for each try",
      wrong: {
        shownBy: ["explore calls", "lints"],
        causes: ["two-keys", "new-key-for-retry"],
      },
    },
    {
      // The webhook of an earlier try is about a name that is not known any more.
      name: "new externalId for each try",
      wrong: { shownBy: ["explore calls", "lints"], causes: ["no-key", "new-key-for-retry"] },
    },
    {
      name: "key stored after the answer",
      wrong: {
        shownBy: ["explore calls", "lints"],
        // A name that the system draws is as new as the key.
        causes: ["two-keys", "no-key", "new-key-for-retry", "not-stored-before-call"],
      },
    },
    {
      name: "takes Retry-After for milliseconds",
      wrong: {
        shownBy: ["explore calls", "lints"],
        causes: ["repeated-refusal"],
      },
    },
    { name: "gives up", wrong: { shownBy: ["explore calls"], causes: ["gave-up"] } },
    {
      name: "takes an error for not done",
      // It gives a refused order up as well.
      wrong: { shownBy: ["explore calls"], causes: ["error-taken-for-not-done", "gave-up"] },
    },
    {
      name: "repeats a 4xx",
      wrong: {
        shownBy: ["explore calls", "lints"],
        causes: ["repeated-refusal"],
      },
    },
    {
      name: "keeps an old token",
      wrong: { shownBy: ["explore calls"], causes: ["token-not-renewed"] },
    },
    // The system of the judge is not killed.
    {
      name: "stored after its own answer",
      isDrawn: false,
      wrong: { shownBy: [], causes: ["not-stored-before-call"] },
    },
    // Only a probe that shows the keys sees it.
    {
      name: "key with the number of the try",
      isDrawn: false,
      wrong: { shownBy: ["lints"], causes: ["two-keys", "new-key-for-retry"] },
    },
    {
      name: "repeats a 429 at once",
      isDrawn: false,
      wrong: { shownBy: ["lints"], causes: ["repeated-refusal"] },
    },
    { name: "waits for Retry-After once", isDrawn: false },
  ],
  books: [
    right("gross"),
    right("local days"),
    { name: "floats", wrong: { shownBy: ["books"], causes: ["$books.received"] } },
    // A sale of the evening belongs to the next day, which the sum of the days so far leaves out.
    { name: "UTC days", wrong: { shownBy: ["books"], causes: ["$books.received"] } },
    { name: "a batch as one payout", wrong: { shownBy: ["books"], causes: ["$books.paidOut"] } },
    { name: "paid batches only", wrong: { shownBy: ["books"], causes: ["$books.paidOut"] } },
    { name: "net", wrong: { shownBy: ["books"], causes: ["$books.received"] } },
    { name: "whole refunds", wrong: { shownBy: ["books"], causes: ["$books.refunded"] } },
    { name: "refunds forgotten", wrong: { shownBy: ["books"], causes: ["$books.refunded"] } },
    { name: "cents cut off", wrong: { shownBy: ["books"], causes: ["$books.received"] } },
  ],
  speed: [right("prompt"), right("50 ms"), right("2 s"), right("queue with 15 ms per event")],
  names: [right("of the order"), right("drawn by the system"), right("drawn for each second order")],
  answers: [
    right("after the call"),
    right("202 and a worker"),
    {
      name: "202 and a queue in memory",
      isDrawn: false,
      wrong: { shownBy: [], causes: ["acknowledged-before-stored"] },
    },
  ],
  marks: [
    right("marks with its work"),
    {
      name: "marks before it works",
      isDrawn: false,
      wrong: { shownBy: ["explore nights"], causes: ["marked-before-work"] },
    },
    {
      name: "answers before it stores",
      isDrawn: false,
      wrong: { shownBy: ["explore nights"], causes: ["acknowledged-before-stored"] },
    },
  ],
  backOff: [
    right("none"),
    right("100 ms"),
    right("half a second"),
    right("doubling with jitter"),
    right("a table that is polled each second"),
    {
      name: "a new key for each repeat",
      wrong: { shownBy: ["explore calls", "lints"], causes: ["two-keys", "new-key-for-retry"] },
    },
    {
      name: "three tries within half a second",
      wrong: { shownBy: ["explore calls"], causes: ["gave-up", "repeated-refusal"] },
    },
  ],
  night: [
    right("all open orders"),
    right("open orders from a cursor"),
    right("nothing is sent before"),
    // A refused order stays behind the cursor.
    { name: "the cursor passes open orders", wrong: { shownBy: ["explore calls"], causes: ["gave-up"] } },
  ],
  poll: [
    right("40 ms"),
    right("200 ms"),
    right("each second"),
    right("debounced by 150 ms"),
    // A cursor over the times of the events passes an event that comes late.
    {
      name: "events after its cursor",
      wrong: { shownBy: ["explore webhooks"], causes: ["event-lost"] },
    },
    // The moment decides: a receiver check finds it in a burst, or is undecided because it did not repeat.
    { name: "one event of each second", wrong: { shownBy: [], causes: ["acknowledged-before-stored"] } },
  ],
  view: [
    right("the database"),
    right("a replica that lags 100 ms"),
    right("a cache of half a second"),
    // explore says in a note that its probe may show nothing.
    {
      name: "a replica that has stopped",
      wrong: { shownBy: ["receiver check"], causes: [] },
    },
    {
      name: "a cache without an end",
      wrong: { shownBy: ["explore webhooks", "receiver check"], causes: [] },
    },
  ],
  processes: [
    right("one"),
    right("two that share a database"),
    {
      name: "two that remember events alone",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: ["handled-twice", "handled-events-forgotten"],
      },
    },
  ],
  start: [
    right("30 ms"),
    right("three seconds"),
    {
      name: "answers before it is ready",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        // A kill before the answer does not show why the retry left no trace.
        causes: ["acknowledged-before-stored", "event-lost"],
      },
    },
  ],
  copies: [
    right("answered with 200"),
    {
      name: "refused with 500",
      isDrawn: false,
      wrong: { shownBy: ["explore webhooks"], causes: ["event-refused"] },
    },
    {
      name: "never answered",
      isDrawn: false,
      wrong: { shownBy: ["explore webhooks"], causes: ["no-answer"] },
    },
  ],
  subjects: [right("all"), { name: "charges alone", isDrawn: false }],
  records: [
    right("none"),
    // Right if the search ignores what is recorded.
    { name: "times of arrivals", isDrawn: false },
    {
      name: "a number by arrival",
      isDrawn: false,
      wrong: { shownBy: ["explore webhooks"], causes: ["numbered-by-arrival"] },
    },
    {
      name: "the first arrival",
      isDrawn: false,
      wrong: { shownBy: ["explore webhooks"], causes: ["depends-on-order"] },
    },
  ],
  shown: [
    right("rows and counts"),
    { name: "rows alone", isDrawn: false },
    { name: "all that is stored", isDrawn: false },
  ],
  batches: [
    right("open parts"),
    { name: "whole", isDrawn: false, wrong: { shownBy: [], causes: ["batch-sent-again"] } },
    {
      name: "whole until one fails",
      isDrawn: false,
      wrong: { shownBy: [], causes: ["batch-sent-again"] },
    },
  ],
  refunds: [
    right("key stored first"),
    { name: "new key for each try", isDrawn: false, wrong: { shownBy: [], causes: ["new-key-for-retry"] } },
  ],
} as const satisfies Readonly<Record<string, readonly Value[]>>;

export type ChoiceName = keyof typeof choices;

/** The name of a value for each choice. */
export type Values = Readonly<Record<ChoiceName, string>>;

/** The first value of each choice is right. */
export const firstValues = Object.fromEntries(
  Object.entries(choices).map(([name, [first]]) => [name, first.name]),
) as { readonly [Name in ChoiceName]: (typeof choices)[Name][0]["name"] };

/** The values that differ from the first of their choice. */
export type Design = { readonly [Name in ChoiceName]?: (typeof choices)[Name][number]["name"] };

/** Returns a value for each choice: the value of the design, or the first. */
export function valuesOf(design: Design): Values {
  return { ...firstValues, ...design };
}
