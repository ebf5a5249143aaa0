import { seededChance } from "../../src/simulator/engine/random.ts";

/** A value that a partner's design may have, and what the judge has to say of it. */
export interface Value {
  readonly name: string;
  /** Absent for a right value. */
  readonly wrong?: {
    /** The tools that can show it with what they try. */
    readonly shownBy: readonly ToolName[];
    /** The causes that are right. Every other known cause is wrong. */
    readonly causes: readonly RegExp[];
  };
}

export type ToolName =
  "explore webhooks" | "explore calls" | "receiver check" | "books" | "lints" | "certify";

const right = (name: string): Value => ({ name });

const COPIES = [
  /^Not idempotent/,
  /^Work is done twice when an answer is lost/,
  /second copy of|[Dd]uplicate|took effect \d+ times|The same event|copy of an event|each, (?:sent|whose)/,
];
const OVERWRITES = [
  /^The last arrival wins/,
  /^An old event overwrites/,
  /An old event overwrites a newer state|Of events with equal times the one that comes last wins/,
];
const RACES = [/^A race/, /^A lost update/, /at the same (?:moment|time)/];

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
        causes: [/^Acknowledged before it was stored/, /^An event is acknowledged before it is stored/],
      },
    },
    {
      name: "never for each third",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: [/acknowledged before it is stored/, /left no trace/, /[Aa]cknowledged, then lost/],
      },
    },
    {
      name: "only in memory",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: [/^The state of your system was only in the memory of its process/],
      },
    },
  ],
  recognition: [
    right("event id"),
    right("object and status"),
    right("hash of the body"),
    { name: "none", wrong: { shownBy: ["explore webhooks", "receiver check"], causes: COPIES } },
    // Two refunds of one instant are taken for one.
    { name: "object and time", wrong: { shownBy: ["books"], causes: [/\$books\.refunded/] } },
    {
      name: "memory of two",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: [/^The memory of handled events is too short/, /memory of handled events is too short/],
      },
    },
    {
      name: "in memory only",
      wrong: {
        shownBy: ["explore webhooks", "receiver check"],
        causes: [/^The memory of handled events ended with the process/, /memory of handled events is lost/],
      },
    },
  ],
  order: [
    right("rank of states"),
    right("updatedAt"),
    right("reading the object"),
    { name: "last arrival", wrong: { shownBy: ["explore webhooks", "receiver check"], causes: OVERWRITES } },
    {
      name: "last arrival for charges",
      wrong: { shownBy: ["explore webhooks", "receiver check"], causes: OVERWRITES },
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
        causes: [
          /^An event about an object that is not known yet/,
          /forgets an event about an object that is not known yet/,
          /An event that came early was acknowledged, then lost/,
        ],
      },
    },
  ],
  concurrency: [
    right("lock by object"),
    right("lock by account"),
    { name: "none", wrong: { shownBy: ["explore webhooks", "receiver check"], causes: RACES } },
  ],
  signature: [
    right("raw bytes"),
    right("text comparison"),
    {
      name: "re-serialised JSON",
      wrong: {
        shownBy: ["receiver check"],
        causes: [/parsed and serialised again|before the signature was/],
      },
    },
    {
      name: "not verified",
      wrong: { shownBy: ["receiver check"], causes: [/was accepted/] },
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
        causes: [/^two-keys/, /^Repeated under a new idempotency key/],
      },
    },
    {
      // The webhook of an earlier try is about a name that is not known any more.
      name: "new externalId for each try",
      wrong: { shownBy: ["explore calls", "lints"], causes: [/^no-key/, /^Repeated under a new externalId/] },
    },
    {
      name: "key stored after the answer",
      wrong: {
        shownBy: ["explore calls", "lints"],
        causes: [
          /^two-keys/,
          /^Repeated under a new (?:idempotency key|externalId)/,
          /^The id was not stored before the process died/,
        ],
      },
    },
    {
      name: "takes Retry-After for milliseconds",
      wrong: {
        shownBy: ["explore calls", "lints"],
        causes: [/^repeated-refusal/, /^Sent again before Retry-After/],
      },
    },
    { name: "gives up", wrong: { shownBy: ["explore calls"], causes: [/^Gave up/] } },
    {
      name: "takes an error for not done",
      // It gives a refused order up as well.
      wrong: { shownBy: ["explore calls"], causes: [/^An error was taken for not done/, /^Gave up/] },
    },
    {
      name: "repeats a 4xx",
      wrong: {
        shownBy: ["explore calls", "lints"],
        causes: [/^repeated-refusal/, /^A refused call is repeated/, /^Sent again before Retry-After/],
      },
    },
    {
      name: "keeps an old token",
      wrong: { shownBy: ["explore calls"], causes: [/^The token was not renewed/] },
    },
  ],
  books: [
    right("gross"),
    right("local days"),
    { name: "floats", wrong: { shownBy: ["books"], causes: [/\$books\.received/] } },
    // A sale of the evening belongs to the next day, which the sum of the days so far leaves out.
    { name: "UTC days", wrong: { shownBy: ["books"], causes: [/\$books\.received/] } },
    { name: "a batch as one payout", wrong: { shownBy: ["books"], causes: [/\$books\.paidOut/] } },
    { name: "paid batches only", wrong: { shownBy: ["books"], causes: [/\$books\.paidOut/] } },
    { name: "net", wrong: { shownBy: ["books"], causes: [/\$books\.received/] } },
    { name: "whole refunds", wrong: { shownBy: ["books"], causes: [/\$books\.refunded/] } },
    { name: "refunds forgotten", wrong: { shownBy: ["books"], causes: [/\$books\.refunded/] } },
    { name: "cents cut off", wrong: { shownBy: ["books"], causes: [/\$books\.received/] } },
  ],
  speed: [right("prompt"), right("50 ms"), right("2 s"), right("queue with 15 ms per event")],
  names: [right("of the order"), right("drawn by the system"), right("drawn for each second order")],
  answers: [right("after the call"), right("202 and a worker")],
} as const satisfies Readonly<Record<string, readonly Value[]>>;

export type ChoiceName = keyof typeof choices;

/** A design with a value for each choice, on a machine. */
export interface Draw {
  readonly seed: number;
  readonly values: Readonly<Record<ChoiceName, string>>;
  /** The wrong values. Empty for a right partner. */
  readonly wrong: readonly { readonly choice: ChoiceName; readonly value: Value }[];
  /** How many times slower than usual the machine is. */
  readonly factor: number;
}

export const FACTORS = [1, 10, 100] as const;

/** Draws partner number `index`: a third each with no wrong value, one and two. */
export function drawOf(seed: number, index: number): Draw {
  const own = seed * 100_000 + index;
  const chance = seededChance(own, "design");
  const laterChance = seededChance(own, "names and answers");
  const names = Object.keys(choices) as ChoiceName[];
  const values = Object.fromEntries(
    names.map((name) => {
      const rights = choices[name].filter((value) => !("wrong" in value));
      // The other choices of a seed stay the same.
      const own = name === "names" || name === "answers" ? laterChance : chance;
      return [name, rights[own.below(rights.length)]?.name ?? ""];
    }),
  ) as Record<ChoiceName, string>;
  const withWrong = names.filter((name) => choices[name].some((value) => "wrong" in value));
  const wrong: Draw["wrong"][number][] = [];
  for (let count = index % 3; count > 0; count--) {
    const [choice = "storage"] = withWrong.splice(chance.below(withWrong.length), 1);
    const wrongs = choices[choice].filter(
      (value): value is (typeof choices)[ChoiceName][number] & Value => "wrong" in value,
    );
    const value = wrongs[chance.below(wrongs.length)] as Value;
    values[choice] = value.name;
    wrong.push({ choice, value });
  }
  // A worker handles one event at a time, so nothing can be handled at the same moment.
  if (values.concurrency === "none") {
    if (!wrong.some(({ choice }) => choice === "storage")) values.storage = "before the answer";
    if (values.speed.startsWith("queue")) values.speed = "prompt";
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
) as Draw["values"];

/** Returns the design of first values, but for one wrong value, on an idle machine. */
export function drawWith({ choice, value }: Draw["wrong"][number]): Draw {
  return {
    seed: 1,
    values: { ...firstValues, [choice]: value.name },
    wrong: [{ choice, value }],
    factor: 1,
  };
}
