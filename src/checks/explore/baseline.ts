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
import { RunNames } from "./run-names.ts";
import { effectOf } from "../../simulator/platform/faults/effects.ts";
import { hasArrived } from "../../simulator/platform/webhook-events/delivery.ts";
import { type NamedState, type Origins, nameState, nameText } from "../../partner/states/naming.ts";
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

/** Two runs without deviations. Every other run is compared with them. */
export class Baseline {
  readonly timeline: Timeline;
  readonly rules: ComparisonRules;
  /** The state that the probe showed. Empty without a probe. */
  readonly state: NamedState;
  readonly platform: NamedState;
  readonly #platformRules: ComparisonRules;
  readonly #platformIgnore: readonly IgnoredPath[];
  readonly played: Played;
  readonly ignore: readonly IgnoredPath[];
  readonly facts: BaselineFacts;
  readonly exploration: Exploration;
  /** True if the system starts again before each run, because it keeps a token that only some runs would request. */
  readonly restarts: boolean;
  readonly names: RunNames;
  /** The places that differed between the two runs, although nothing moved at their ends. Work may be unfinished there. */
  readonly unfinished: readonly string[];
  readonly #arrivedAt: ReadonlyMap<number, ReadonlySet<number>>;

  constructor(
    first: Played,
    second: Played,
    {
      exploration,
      facts,
      restarts,
      moving: moved,
    }: Pick<Baseline, "exploration" | "facts" | "restarts"> & {
      /** The places that moved although the system had no work. */
      readonly moving: ReadonlySet<string>;
    },
  ) {
    this.exploration = exploration;
    this.restarts = restarts;
    this.played = first;
    this.facts = facts;
    const ignore = ignoredTexts(exploration);
    this.names = new RunNames(first, second);
    const { events } = this.names;
    const { names } = this.names.naming(first);
    this.timeline = {
      events: events.map((event) => labelled(event, { names, calls: facts.calls, played: first })),
      calls: baselineCalls(first.calls, { names, run: first.run }, facts.repeats),
      requests: facts.requests,
      stepEnds: first.stepEnds.map(({ at }) => at),
      retryAfterMs: facts.retryAfterMs,
      holdMaxMs: facts.holdMaxMs,
    };
    const named = ignore.map((path) => nameText(path, { names, run: first.run }));
    this.ignore = named.filter((path) => ofPlatform(path) === undefined).map(ignoredPath);
    this.#platformIgnore = named.flatMap((path) => {
      const own = ofPlatform(path);
      return own === undefined ? [] : [{ ...ignoredPath(own), path }];
    });
    const identities = new Set(
      Array.from(this.names.originsOf(first)).flatMap(([name, text]) =>
        /(?:[iI]d|code)$/.test(name) ? [text] : [],
      ),
    );
    const states = [first, second].map((run) => this.name(run, run.state)) as [NamedState, NamedState];
    this.state = states[0];
    const moving = [first, second].flatMap((run) => ("moved" in run ? [this.#rulesOfMoving(run)] : []));
    this.rules = moving.reduce(merged, rulesFor(...states, { identities }));
    const allMoved = new Set([...moved, ...moving.flatMap(({ unstable }) => [...unstable])]);
    this.unfinished = unfinishedPlaces(states, this.rules, allMoved);
    const platforms = [first, second].map((run) => this.#platformOf(run)) as [NamedState, NamedState];
    this.platform = platforms[0];
    this.#platformRules = rulesFor(...platforms, { identities });
    this.#arrivedAt = this.#arrivalTimes(first);
    const foreign = foreignText(second.state, names, this.names.naming(second));
    if (foreign !== undefined) throw new NotTried(foreign);
    const isProbed = "state" in first;
    if (isProbed && !isCompared(this.state, this.rules)) throw new NotTried(nothingStable(this.ignored));
  }

  /** The JSON paths that are left out of every comparison. */
  get ignored(): string[] {
    const { unstable, unordered } = this.rules;
    return [
      ...[...this.ignore, ...this.#platformIgnore].map(({ path }) => path),
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
    const arrivedAt = this.#arrivalTimes(run);
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
    return withoutIgnored(nameState(state, this.names.naming(run)), this.ignore);
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
    return withoutIgnored(nameState(run.platform, this.names.naming(run)), this.#platformIgnore);
  }

  /** Returns the times of arrival by event. */
  #arrivalTimes(run: Played): Map<number, Set<number>> {
    const times = new Map<number, Set<number>>();
    const events = new Map(Array.from(this.names.identified(run), ([{ id }, { index }]) => [id, index]));
    for (const { id, duplicateOf, attempts } of run.deliveries) {
      const event = events.get(duplicateOf ?? id);
      if (event === undefined) continue;
      const own = times.get(event) ?? new Set();
      for (const { at } of attempts) own.add(at);
      times.set(event, own);
    }
    return times;
  }

  #rulesOfMoving(run: Played): ComparisonRules {
    return rulesFor(this.name(run, run.moved), this.name(run, run.state));
  }
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
