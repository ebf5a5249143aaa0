import type { CauseCode } from "../../src/checks/cause-texts.ts";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { seededChance } from "../../src/simulator/engine/random.ts";

/** A value that a partner's design may have, and what the judge has to say of it. */
export interface Value {
  readonly name: string;
  /** False if a draw does not have the value, because it would hide others. Tests name it. */
  readonly isDrawn?: false;
  /** Absent for a right value. */
  readonly wrong?: {
    /** The tools that can show it with what they try. */
    readonly shownBy: readonly ToolName[];
    /** The codes of the right causes. Every other code of a wrong value is wrong. */
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
      wrong: { shownBy: ["explore webhooks"], causes: ["handled-events-forgotten"] },
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
    {
      name: "lock by event",
      isDrawn: false,
      wrong: { shownBy: ["explore webhooks"], causes: ["lost-update"] },
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
  answers: [right("after the call"), right("202 and a worker")],
  nights: [
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
  ],
  night: [
    right("all open orders"),
    right("open orders from a cursor"),
    right("nothing is sent before"),
    // A refused order stays behind the cursor.
    { name: "the cursor passes open orders", wrong: { shownBy: ["explore calls"], causes: ["gave-up"] } },
  ],
  poll: [right("40 ms"), right("200 ms"), right("each second"), right("debounced by 150 ms")],
  view: [right("the database"), right("a replica that lags 100 ms"), right("a cache of half a second")],
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
  start: [right("30 ms"), right("three seconds")],
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
  shown: [right("rows and counts"), { name: "rows alone", isDrawn: false }],
} as const satisfies Readonly<Record<string, readonly Value[]>>;

export type ChoiceName = keyof typeof choices;

/** The name of a value for each choice. */
export type Values = Readonly<Record<ChoiceName, string>>;

/** The values that differ from the first of their choice. */
export type Design = { readonly [Name in ChoiceName]?: (typeof choices)[Name][number]["name"] };

/** Returns a value for each choice: the value of the design, or the first. */
export function valuesOf(design: Design): Values {
  return { ...firstValues, ...design };
}

/** A design with a value for each choice, on a machine. */
export interface Draw {
  readonly seed: number;
  readonly values: Values;
  /** The wrong values. Empty for a right partner. */
  readonly wrong: readonly { readonly choice: ChoiceName; readonly value: Value }[];
  /** How many times slower than usual the machine is. */
  readonly factor: number;
}

export const FACTORS = [1, 10, 100] as const;

/** The choices that are drawn apart, so that the other choices of a seed stay the same. */
const LATER: ReadonlySet<ChoiceName> = new Set([
  "names",
  "answers",
  "nights",
  "backOff",
  "night",
  "poll",
  "view",
  "processes",
  "start",
]);

/** The choices whose values are drawn by a chance of their own. */
const OWN: ReadonlySet<ChoiceName> = new Set(["copies", "subjects", "records", "shown"]);

/** One wrong value in so many is of a later choice. */
const LATER_IN = 5;

function isLater(name: ChoiceName): boolean {
  return LATER.has(name);
}

function drawnOf(name: ChoiceName): readonly Value[] {
  return choices[name].filter((value: Value) => value.isDrawn !== false);
}

/** Draws partner number `index`: a third each with no wrong value, one and two. */
export function drawOf(seed: number, index: number): Draw {
  const own = seed * 100_000 + index;
  const chance = seededChance(own, "design");
  const laterChance = seededChance(own, "later choices");
  const names = Object.keys(choices) as ChoiceName[];
  const values = Object.fromEntries(
    names.map((name) => {
      const rights = drawnOf(name).filter(({ wrong }) => wrong === undefined);
      // The other choices of a seed stay the same.
      const source = OWN.has(name) ? seededChance(own, name) : isLater(name) ? laterChance : chance;
      return [name, rights[source.below(rights.length)]?.name ?? ""];
    }),
  ) as Record<ChoiceName, string>;
  const withWrong = names.filter((name) => drawnOf(name).some(({ wrong }) => wrong !== undefined));
  const wrong: Draw["wrong"][number][] = [];
  for (let count = index % 3; count > 0; count--) {
    const isOfLater = laterChance.below(LATER_IN) === 0;
    const open = withWrong.filter((name) => isLater(name) === isOfLater);
    const choice = open[(isOfLater ? laterChance : chance).below(open.length)] ?? "storage";
    withWrong.splice(withWrong.indexOf(choice), 1);
    const wrongs = drawnOf(choice).filter(({ wrong }) => wrong !== undefined);
    const value = assertDefined(wrongs[chance.below(wrongs.length)], "a wrong value");
    values[choice] = value.name;
    wrong.push({ choice, value });
  }
  // A webhook heals what a night sent under a new key, before the next night comes.
  if (wrong.some(({ choice }) => choice === "calls") && !wrong.some(({ choice }) => choice === "night"))
    values.night = firstValues.night;
  // A worker handles one event at a time, so nothing can be handled at the same moment.
  if (values.concurrency === "none") {
    if (!wrong.some(({ choice }) => choice === "storage")) values.storage = "before the answer";
    if (values.speed.startsWith("queue")) values.speed = "prompt";
    // Two processes get copies at different moments.
    if (!wrong.some(({ choice }) => choice === "processes")) values.processes = firstValues.processes;
  }
  return { seed: own, values, wrong, factor: FACTORS[chance.below(FACTORS.length)] ?? 1 };
}

/** Each wrong value with a tool that can show it. */
export const wrongValues: readonly (Draw["wrong"][number] & { readonly tool: ToolName })[] = (
  Object.keys(choices) as ChoiceName[]
).flatMap((choice) =>
  choices[choice].flatMap((value: Value) =>
    (value.wrong?.shownBy ?? []).map((tool) => ({ choice, value, tool })),
  ),
);

/** The first value of each choice is right. */
export const firstValues = Object.fromEntries(
  Object.entries(choices).map(([name, [first]]) => [name, first.name]),
) as { readonly [Name in ChoiceName]: (typeof choices)[Name][0]["name"] };

/** Returns the design of first values, but for one wrong value, on an idle machine. */
export function drawWith({ choice, value }: Draw["wrong"][number]): Draw {
  return {
    seed: 1,
    values: { ...firstValues, [choice]: value.name },
    wrong: [{ choice, value }],
    factor: 1,
  };
}
