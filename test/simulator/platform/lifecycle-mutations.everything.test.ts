import type { JournalEntry } from "../../../src/simulator/engine/journal.ts";
import type { Scenario } from "../../../src/scenarios/scenario.ts";
import type { StoredRecord } from "../../../src/simulator/engine/collection.ts";
import { type Lifecycle, type Transition, actOf, eventsOf } from "../../../src/simulator/engine/lifecycle.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { deliveries, deliveryLifecycle } from "../../../src/simulator/platform/webhook-events/delivery.ts";
import { acts, assumptions, lifecycles } from "../../../src/simulator/platform/catalog.ts";
import { type Timer, timers } from "../../../src/simulator/engine/timers.ts";
import { storiesOfActs, furtherStories } from "./lifecycle-stories.ts";
import { run, shippedScenarios } from "../../scenario-runs.ts";

/**
 * The platform does what the lifecycle tables say: each row of each table, and the states of each timer, are changed
 * here in turn, in memory, and the shipped scenarios that take the row have to notice. A scenario notices when it
 * fails, or when something else happens in it: another timeline, or other timers.
 */
interface Run {
  readonly scenario: Scenario;
  readonly durationMs: number;
  readonly rows: ReadonlySet<Transition>;
  /** The kinds of the timers that were armed. */
  readonly timers: ReadonlySet<string>;
  /** What happened, in text. */
  readonly history: string;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** How long a world goes on after its scenario, so that each timer that is still armed becomes due. */
const GOES_ON_FOR = "P45D";

/** More entries than any scenario leaves: with a changed table, timers may follow one another without an end. */
const ENTRIES_MAX = 2_000;

/** Every step has a timer, and the timer is slow: what acts do in a scenario, they do while it is armed. */
const SLOW: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(assumptions)
      .filter((id) => id.startsWith("autopilot.") && id !== "autopilot.payer-delay")
      .map((id) => [id, "clock"]),
  ),
  "autopilot.payer-delay": "PT6H",
  "charge.schedule-delay": "PT6H",
  "refund.delay": "P3D",
  "cancellation.delay": "P3D",
  "payout.pix-delay": "P3D",
  "payout.ted-delay": "P3D",
};

/**
 * States that a record never enters with the timer armed, so that nothing can show whether they disarm it: the command
 * that makes an order PENDING decides it too, and no attempt is due any more when a delivery is given up or lost.
 */
const NEVER_ARMED: Readonly<Record<string, readonly string[]>> = {
  // Nothing takes a payment that waits for its confirmation out of PENDING but the confirmation itself.
  "order.confirmation": ["PAID", "EXPIRED", "ERROR"],
  "order.expire": ["PENDING"],
  "order.payment": ["PENDING"],
  "webhook.retry": ["undelivered", "lost"],
};

const actNames = [...acts.keys()];
const runs: Run[] = [];
const slowRuns: Run[] = [];
/** By row, the acts that took it before any other row of its table. */
const actsOf = new Map<Transition, Set<string>>();

beforeAll(async () => {
  const stories = [...storiesOfActs(), ...furtherStories()];
  const scenarios = [...shippedScenarios().flatMap((file) => file.scenarios), ...stories];
  for (const scenario of scenarios) runs.push(await observed(scenario));
  for (const story of stories)
    slowRuns.push(await observed({ ...story, assumptions: { ...SLOW, ...story.assumptions } }));
  for (const all of [runs, slowRuns]) all.sort((one, other) => one.durationMs - other.durationMs);
}, 120_000);

async function observed(scenario: Scenario): Promise<Run> {
  const rows = new Set<Transition>();
  const armed = new Set<string>();
  const { history, durationMs } = await historyOf(scenario, (entry) => {
    const taken = rowsIn(entry);
    for (const row of taken) rows.add(row);
    if (entry.cause.by === "act") {
      const first = lifecycles.flatMap(
        ({ transitions }) => taken.find((row) => transitions.includes(row)) ?? [],
      );
      for (const row of first) actsOf.set(row, (actsOf.get(row) ?? new Set<string>()).add(entry.cause.name));
    }
    for (const { collection, after } of entry.changes)
      if (collection === timers.name && after !== undefined) armed.add((after as Timer).kind);
  });
  return { scenario, rows, timers: armed, history, durationMs };
}

/** Runs a scenario: how it ended, its timeline, and every timer that was due. */
async function historyOf(
  scenario: Scenario,
  onEntry: (entry: JournalEntry) => void = () => undefined,
): Promise<{ readonly history: string; readonly durationMs: number }> {
  const fired: string[] = [];
  let entries = 0;
  const { status, timeline, durationMs } = await run(scenario, undefined, {
    goesOnFor: GOES_ON_FOR,
    isDigested: false,
    onEntry: (entry) => {
      if (++entries > ENTRIES_MAX) throw new Error("There is no end to the timers.");
      if (entry.cause.by === "timer") fired.push(`${entry.at} ${entry.cause.name}`);
      onEntry(entry);
    },
  });
  return { history: [status, timeline, ...fired].join("\n"), durationMs };
}

/** The rows that a command took, in their order; those of deliveries, which are not logged, by their status. */
function rowsIn({ timeline, changes }: JournalEntry): Transition[] {
  const logged = timeline.flatMap(({ kind, resource, action, to }) =>
    kind === "transition"
      ? lifecycles
          .filter((one) => one.resource === resource)
          .flatMap(({ transitions }) => transitions.filter((row) => row.action === action && row.to === to))
      : [],
  );
  const sent = changes.flatMap(({ collection, before, after }) => {
    if (collection !== deliveries.name || after === undefined) return [];
    const [from, to] = [statusOf(before), statusOf(after)];
    const isAttempted = to !== "scheduled" && lastAttempt(before) !== lastAttempt(after);
    return from === to && !isAttempted ? [] : deliveryLifecycle.transitions.filter((row) => row.to === to);
  });
  return [...logged, ...sent];
}

function statusOf(record: StoredRecord | undefined): string | undefined {
  return (record as { readonly status?: string } | undefined)?.status;
}

function lastAttempt(record: StoredRecord | undefined): number {
  return (record as { readonly attempts?: readonly unknown[] } | undefined)?.attempts?.length ?? 0;
}

/** The changes of a table, by what they change; each is undone by the function that it returns. */
type Change = () => () => void;

/** The changes that no scenario notices. */
async function unnoticed(
  changes: Readonly<Record<string, Change>>,
  candidates: readonly Run[],
): Promise<string[]> {
  const survivors: string[] = [];
  for (const [what, change] of Object.entries(changes)) {
    const restore = change();
    try {
      if (!(await isNoticed(candidates))) survivors.push(what);
    } finally {
      restore();
    }
  }
  return survivors;
}

async function isNoticed(candidates: readonly Run[]): Promise<boolean> {
  for (const { scenario, history } of candidates) {
    const changed = await historyOf(scenario).catch((error: unknown) => ({ history: String(error) }));
    if (changed.history !== history) return true;
  }
  return false;
}

function set<T extends object, K extends keyof T>(of: T, key: K, value: T[K] | undefined): Change {
  return () => {
    const before = of[key];
    if (value === undefined) delete of[key];
    else of[key] = value;
    return () => void (before === undefined ? delete of[key] : (of[key] = before));
  };
}

function withStates(own: string[], states: readonly string[]): Change {
  return () => {
    const before = own.splice(0, own.length, ...states);
    return () => void own.splice(0, own.length, ...before);
  };
}

/** A row with another target, another action, and without its events or with other ones. */
function changesOf({ states, transitions }: Lifecycle, row: Mutable<Transition>): Record<string, Change> {
  const own = eventsOf(row);
  const other = transitions.flatMap(eventsOf).find((event) => !own.includes(event)) ?? "ANOTHER.EVENT";
  const sendsEvents = transitions.some((one) => one.emits !== undefined);
  const { emits } = row;
  const to = states[(states.indexOf(row.to) + 1) % states.length]!;
  const variants = typeof emits === "object" ? (emits as Record<string, string>) : {};
  return {
    [`to ${to}`]: set(row, "to", to),
    "another action": set(row, "action", "other"),
    ...(typeof emits === "string" && { "no event": set(row, "emits", undefined) }),
    ...(sendsEvents && typeof emits !== "object" && { [other]: set(row, "emits", other) }),
    ...Object.fromEntries(
      Object.keys(variants).flatMap((variant) => [
        [`no event of a ${variant}`, set(variants, variant, undefined)],
        [`${other} of a ${variant}`, set(variants, variant, other)],
      ]),
    ),
  };
}

/** Whether another table has the row that the act takes: what it does here is a consequence of that. */
function isNamedElsewhere(lifecycle: Lifecycle, act: string): boolean {
  return lifecycles.some(
    (other) => other !== lifecycle && other.transitions.some((row) => actOf(other, row) === act),
  );
}

describe.each(lifecycles)("a $resource", (lifecycle) => {
  const { states, transitions, timers: timersOf = {} } = lifecycle;
  const named = new Set(transitions.map((row) => actOf(lifecycle, row)));
  const own = new Set(
    actNames.filter(
      (name) =>
        named.has(name) ||
        (!isNamedElsewhere(lifecycle, name) &&
          transitions.some((row) => actOf(lifecycle, row)?.split(".")[0] === name.split(".")[0])),
    ),
  );

  for (const row of transitions) {
    const { action, from, to } = row;
    test(`takes ${action} from ${from.join(", ")} to ${to} as its row says`, async () => {
      const candidates = runs.filter(({ rows }) => rows.has(row));
      expect(await unnoticed(changesOf(lifecycle, row as Mutable<Transition>), candidates)).toEqual([]);
    }, 60_000);

    const act = actOf(lifecycle, row);
    // Who requests a cancellation takes the row only when the request is accepted.
    if (act?.endsWith(".request-cancellation") === true) continue;

    test(`takes ${action} to ${to} by the act that its row names, and by no other of its own`, () => {
      const taken = [...(actsOf.get(row) ?? [])].filter((one) => own.has(one));
      expect(taken).toEqual(act === null ? [] : [act]);
    });
  }

  for (const [timer, belonging] of Object.entries(timersOf)) {
    test(`has the timer ${timer} in the states of its table`, async () => {
      const candidates = [...runs, ...slowRuns].filter((one) => one.timers.has(timer));
      const reached = states.filter((state) =>
        transitions.some(({ from, to }) => to === state && from.some((one) => belonging.includes(one))),
      );
      const changes = Object.fromEntries([
        ...belonging.map((state) => [
          `not in ${state}`,
          withStates(
            belonging as string[],
            belonging.filter((one) => one !== state),
          ),
        ]),
        ...reached
          .filter((state) => !belonging.includes(state) && NEVER_ARMED[timer]?.includes(state) !== true)
          .map((state) => [`also in ${state}`, withStates(belonging as string[], [...belonging, state])]),
      ]) as Record<string, Change>;
      expect(await unnoticed(changes, candidates)).toEqual([]);
    }, 120_000);
  }
});
