import { ignoredPath, ignoredTexts } from "./ignored.ts";
import { NotTried } from "../../base/failures.ts";
import type { BaselineEvent, Timeline } from "./deviations.ts";
import type { Arrival, Exploration } from "./exploration.ts";
import type { BookedObject } from "../../simulator/api/generated/shapes.ts";
import type { traceLints } from "../../scenarios/books/traces.ts";
import type { History } from "../../scenarios/books/differing-entry.ts";
import { type FoundEvent, originals } from "./events.ts";
import { ofPlatform } from "./platform-state.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";
import type { Played } from "./played.ts";
import { baselineCalls } from "./calls.ts";
import { learnNames, type RunNames } from "./run-names.ts";
import { effectOf } from "../../simulator/platform/faults/effects.ts";
import { hasArrived } from "../../simulator/platform/webhook-events/delivery.ts";
import {
  type NamedState,
  type Naming,
  type Origins,
  nameState,
  nameText,
} from "../../partner/states/naming.ts";
import {
  type ComparisonRules,
  type StateDifference,
  isCompared,
  rulesFor,
  stateDifferences,
} from "../../partner/states/comparison.ts";
import { foreignText, nothingStable } from "./unfit-probe.ts";
import { unfinishedPlaces } from "../../partner/states/drawn-values.ts";
import { instantsOf, TIMES_MIN } from "../../partner/states/instants.ts";
import { type IgnoredPath, withoutIgnored } from "../../partner/states/ignored-paths.ts";

/** The facts that the sandbox shows of a baseline in addition to its deliveries. */
export interface BaselineFacts {
  /** The call that announced each delivery. */
  readonly calls: ReadonlyMap<string, Pick<BaselineEvent, "call" | "isOfTimer">>;
  readonly retryAfterMs: number;
  readonly holdMaxMs: number;
  /** The entries that moved money, and the announcements. */
  readonly money: History;
  /** The objects that move money. */
  readonly objects: readonly BookedObject[];
  /** Whether a step repeats its own call. */
  readonly repeats: (step: number) => boolean;
  /** The steps whose request can be sent twice. */
  readonly requests: readonly number[];
}

/** The paths that are left out of comparisons: of the system's state, and of the platform's own objects. */
interface IgnoredPaths {
  readonly own: readonly IgnoredPath[];
  readonly platform: readonly IgnoredPath[];
}

/** The parts of a baseline, as `baselineOf` finds them. */
interface BaselineParts {
  readonly exploration: Exploration;
  readonly facts: BaselineFacts;
  readonly played: Played;
  readonly names: RunNames;
  readonly ignored: IgnoredPaths;
  readonly timeline: Timeline;
  /** The state that the probe showed. Empty without a probe. */
  readonly state: NamedState;
  readonly rules: ComparisonRules;
  /** The places that differed between the two runs, although nothing moved at their ends. Work may be unfinished there. */
  readonly unfinished: readonly string[];
  readonly platform: NamedState;
  readonly platformRules: ComparisonRules;
  /** The times of arrival by event. */
  readonly arrivedAt: ReadonlyMap<number, ReadonlySet<number>>;
  /** True if the system starts again before each run, because it keeps a token that only some runs would request. */
  readonly restarts: boolean;
}

/**
 * Compares two runs without deviations. `moving` are the places that moved although the system had no work. Throws a
 * `NotTried` if the runs show nothing that other runs can be compared with.
 */
export function baselineOf(
  first: Played,
  second: Played,
  {
    moving,
    ...given
  }: Pick<BaselineParts, "exploration" | "facts" | "restarts"> & { readonly moving: ReadonlySet<string> },
): Baseline {
  const names = learnNames(first, second);
  const runs = [first, second] as const;
  const ignored = ignoredPathsOf(given.exploration, names.naming(first));
  const identities = identitiesOf(names.originsOf(first));
  const states = comparedStates(runs, moving, {
    identities,
    nameOf: (run, state) => withoutIgnored(nameState(state, names.naming(run)), ignored.own),
  });
  const [platform, other] = runs.map((run) =>
    withoutIgnored(nameState(run.platform, names.naming(run)), ignored.platform),
  ) as [NamedState, NamedState];
  const baseline = new Baseline({
    ...given,
    ...states,
    played: first,
    names,
    ignored,
    timeline: timelineOf(first, names, given.facts),
    platform,
    arrivedAt: arrivalTimes(first, names),
    platformRules: rulesFor(platform, other, { identities }),
  });
  const foreign = foreignText(second.state, names.naming(first).names, names.naming(second));
  if (foreign !== undefined) throw new NotTried(foreign);
  const isProbed = "state" in first;
  if (isProbed && !isCompared(baseline.state, baseline.rules))
    throw new NotTried(nothingStable(baseline.ignored));
  return baseline;
}

function timelineOf(first: Played, runNames: RunNames, facts: BaselineFacts): Timeline {
  const { names } = runNames.naming(first);
  return {
    events: runNames.events.map((event) => labelled(event, { names, calls: facts.calls, played: first })),
    calls: baselineCalls(first.calls, { names, run: first.run }, facts.repeats),
    requests: facts.requests,
    stepEnds: first.stepEnds.map(({ at }) => at),
    retryAfterMs: facts.retryAfterMs,
    holdMaxMs: facts.holdMaxMs,
  };
}

/** Returns the paths that the user and the tool leave out. A path can have texts of the first run. */
function ignoredPathsOf(exploration: Exploration, naming: Naming): IgnoredPaths {
  const named = ignoredTexts(exploration).map((path) => nameText(path, naming));
  return {
    own: named.filter((path) => ofPlatform(path) === undefined).map(ignoredPath),
    platform: named.flatMap((path) => {
      const own = ofPlatform(path);
      return own === undefined ? [] : [{ ...ignoredPath(own), path }];
    }),
  };
}

/** Returns the texts that tell one object from another. */
function identitiesOf(origins: Origins): Set<string> {
  return new Set(Array.from(origins).flatMap(([name, text]) => (/(?:[iI]d|code)$/.test(name) ? [text] : [])));
}

/** Returns the state of the first run, and the rules that accept the state of the second run. */
function comparedStates(
  runs: readonly [Played, Played],
  moved: ReadonlySet<string>,
  how: {
    readonly identities: ReadonlySet<string>;
    readonly nameOf: (run: Played, state: unknown) => NamedState;
  },
): Pick<BaselineParts, "state" | "rules" | "unfinished"> {
  const states = runs.map((run) => how.nameOf(run, run.state)) as [NamedState, NamedState];
  const moving = runs.flatMap((run) =>
    "moved" in run ? [rulesFor(how.nameOf(run, run.moved), how.nameOf(run, run.state))] : [],
  );
  const rules = moving.reduce(merged, rulesFor(...states, how));
  const allMoved = new Set([...moved, ...moving.flatMap(({ unstable }) => [...unstable])]);
  return { state: states[0], rules, unfinished: unfinishedPlaces(states, rules, allMoved) };
}

/** Two runs without deviations. Every other run is compared with them. */
export class Baseline {
  readonly exploration: Exploration;
  readonly facts: BaselineFacts;
  readonly played: Played;
  readonly names: RunNames;
  readonly timeline: Timeline;
  readonly state: NamedState;
  readonly rules: ComparisonRules;
  readonly unfinished: readonly string[];
  readonly platform: NamedState;
  readonly restarts: boolean;
  readonly #ignored: IgnoredPaths;
  readonly #platformRules: ComparisonRules;
  readonly #arrivedAt: BaselineParts["arrivedAt"];

  constructor(parts: BaselineParts) {
    this.exploration = parts.exploration;
    this.facts = parts.facts;
    this.played = parts.played;
    this.names = parts.names;
    this.timeline = parts.timeline;
    this.state = parts.state;
    this.rules = parts.rules;
    this.unfinished = parts.unfinished;
    this.platform = parts.platform;
    this.restarts = parts.restarts;
    this.#ignored = parts.ignored;
    this.#platformRules = parts.platformRules;
    this.#arrivedAt = parts.arrivedAt;
  }

  /** The ignored paths of the system's state. */
  get ignore(): readonly IgnoredPath[] {
    return this.#ignored.own;
  }

  /** The JSON paths that are left out of every comparison. */
  get ignored(): string[] {
    const { unstable, unordered } = this.rules;
    return [
      ...[...this.#ignored.own, ...this.#ignored.platform].map(({ path }) => path),
      ...[...unstable].toSorted(),
      ...Array.from(unordered, (path) => `${path} (order)`).toSorted(),
    ];
  }

  /** Returns true if the state of a run still moves. Ignored and unstable paths do not count. */
  isMoving(run: Played): boolean {
    return this.movingPaths(run).length > 0;
  }

  /** Returns the paths of the state that still move at the end of a run. */
  movingPaths(run: Played): string[] {
    if (!("moved" in run)) return [];
    const moving = stateDifferences(this.name(run, run.moved), this.name(run, run.state), this.rules);
    return moving.map(({ path }) => path);
  }

  /** Finds the differences in the platform's own objects and balances. The paths begin with `$platform`. */
  platformDifferences(run: Played): StateDifference[] {
    const found = this.#platformOf(run);
    return stateDifferences(this.platform, found, this.#platformRules).map(({ path, ...difference }) => ({
      path: path.replace(/^\$/, "$platform"),
      ...difference,
    }));
  }

  /** Finds the differences in the state of a run. Times are not compared if a repeat arrives later. */
  differences(run: Played, isMovedInTime: boolean): StateDifference[] {
    const arrivedAt = arrivalTimes(run, this.names);
    const isSame = (baseline: unknown, found: unknown): boolean => {
      const [before, after] = [instantsOf(baseline), instantsOf(found)];
      if (before.length === 0 || after.length === 0) return false;
      if (isMovedInTime && [before, after].every((times) => times.some((time) => time > TIMES_MIN)))
        return true;
      return Array.from(this.#arrivedAt).some(
        ([event, times]) =>
          before.some((time) => times.has(time)) && after.some((time) => arrivedAt.get(event)?.has(time)),
      );
    };
    return stateDifferences(this.state, this.name(run, run.state), { ...this.rules, isSame });
  }

  /** Finds the deliveries that stay undelivered here but not in the baseline. */
  undelivered(run: Played): StateDifference[] {
    const isFailed = ({ status }: PlayedDelivery): boolean => status !== "delivered" && status !== "lost";
    const delivered = new Set(run.deliveries.filter((one) => !isFailed(one)).map(({ id }) => id));
    const known = this.names.identified(run);
    const events = new Map(Array.from(known, ([{ id }, { index }]) => [id, index]));
    const failedBefore = new Set(
      Array.from(this.names.identified(this.played)).flatMap(([delivery, { index }]) =>
        isFailed(delivery) ? [index] : [],
      ),
    );
    // A refused copy of a delivered event has no effect.
    const isMissed = ({ duplicateOf }: PlayedDelivery): boolean =>
      duplicateOf === null || !delivered.has(duplicateOf);
    const missed = run.deliveries.filter((one) => isFailed(one) && isMissed(one));
    return missed.flatMap(({ id, duplicateOf, event, attempts, status }) => {
      const index = events.get(duplicateOf ?? id);
      if (index !== undefined && failedBefore.has(index)) return [];
      const name = index === undefined ? event : `event ${index}`;
      const last = attempts.at(-1);
      const found = last === undefined ? status : `undelivered: ${last.status ?? last.error}`;
      const path = `deliveries[${JSON.stringify(duplicateOf === null ? name : `${name} copy`)}]`;
      return [{ path, baseline: "delivered", found }];
    });
  }

  /** Finds the differences between a state and the state before it. */
  changes(before: NamedState | undefined, after: NamedState | undefined): StateDifference[] {
    return before === undefined || after === undefined ? [] : stateDifferences(before, after, this.rules);
  }

  /** Names the values of a state that exist only in its run, and removes the ignored paths. */
  name(run: Played, state: unknown): NamedState {
    return withoutIgnored(nameState(state, this.names.naming(run)), this.#ignored.own);
  }

  /** The events with the journal entries that announced them. */
  get announced(): Parameters<typeof traceLints>[1] {
    return Array.from(this.names.identified(this.played), ([{ announcedBy: entry }, event]) => ({
      ...event,
      entry,
    }));
  }

  /** Returns all arrivals at the receiver, in order. */
  arrivals(run: Played): Arrival[] {
    const events = new Map(Array.from(this.names.identified(run), ([{ id }, { index }]) => [id, index]));
    const sent = run.deliveries
      .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
      .filter(({ attempt }) => hasArrived(attempt))
      .toSorted((one, other) => one.attempt.sequence - other.attempt.sequence);
    const counts = new Map<string, number>();
    const all = sent.map(({ delivery, attempt }, position): Arrival & { isAtOnce: boolean } => {
      const id = delivery.duplicateOf ?? delivery.id;
      const number = Math.max(delivery.duplicateOf === null ? attempt.number : 1, (counts.get(id) ?? 0) + 1);
      counts.set(id, number);
      const event = events.get(id) ?? null;
      const deviations = new Set(
        attempt.injected.flatMap((effect) => Object.keys(effectOf(effect).deviations ?? {})),
      );
      const isAtOnce = deviations.has("twice-at-once");
      const isCompanion = deviations.has("together") && sent[position - 1] !== undefined;
      return {
        event,
        ...(event === null && { name: delivery.event }),
        attempt: number,
        status: attempt.status,
        ...(attempt.error !== null && attempt.status === null && { error: attempt.error }),
        ...(((isAtOnce && delivery.duplicateOf !== null) || isCompanion) && { together: true as const }),
        ...(deviations.has("early") && { early: true as const }),
        isAtOnce,
      };
    });
    // The schedule does not decide which of two copies is answered first.
    for (const [index, one] of all.entries()) {
      const other = all[index + 1];
      if (!one.isAtOnce || other?.together !== true || (one.status ?? 999) <= (other.status ?? 999)) continue;
      all[index] = { ...one, status: other.status };
      all[index + 1] = { ...other, status: one.status };
    }
    return all.map(({ isAtOnce: _isAtOnce, ...arrival }) => arrival);
  }

  #platformOf(run: Played): NamedState {
    return withoutIgnored(nameState(run.platform, this.names.naming(run)), this.#ignored.platform);
  }
}

/** Returns the times of arrival by event. */
function arrivalTimes(run: Played, names: RunNames): Map<number, Set<number>> {
  const times = new Map<number, Set<number>>();
  const events = new Map(Array.from(names.identified(run), ([{ id }, { index }]) => [id, index]));
  for (const { id, duplicateOf, attempts } of run.deliveries) {
    const event = events.get(duplicateOf ?? id);
    if (event === undefined) continue;
    const own = times.get(event) ?? new Set();
    for (const { at } of attempts) own.add(at);
    times.set(event, own);
  }
  return times;
}

function merged(one: ComparisonRules, other: ComparisonRules): ComparisonRules {
  return {
    ...one,
    unstable: new Set([...one.unstable, ...other.unstable]),
    unordered: new Set([...one.unordered, ...other.unordered]),
  };
}

function labelled(
  event: FoundEvent,
  { names, calls, played }: { names: Origins; calls: BaselineFacts["calls"]; played: Played },
): BaselineEvent {
  const name = names.get(event.objectId)?.replace(/\.id$/, "");
  const announcing = calls.get(originals(played)[event.index - 1]?.id ?? "");
  return {
    ...event,
    object:
      name === undefined || /^(?:step|event|call) /.test(name)
        ? `${event.collection} ${event.objectNumber}`
        : name,
    ...announcing,
  };
}
