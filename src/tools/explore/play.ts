import type { Lint } from "../../api/generated/shapes.ts";
import type { PlayedDelivery, PlayedWorld } from "../../library/played-world.ts";
import type { ScenarioOperations, ScenarioWorld } from "../scenarios/world.ts";
import { Books } from "../books/books.ts";
import type { BooksFinding } from "../books/finding.ts";
import { lintsIn } from "../scenarios/lints.ts";
import { ProbeFailure, settledState } from "../oracle/probe.ts";
import { type EffectName, effectOf } from "../../api/faults.ts";
import { ExpressionError } from "../scenarios/expression.ts";
import { originsIn } from "../oracle/naming.ts";
import { Session, StepFailure } from "../scenarios/session.ts";
import { take } from "../scenarios/run.ts";
import { type BooksSettings, type Scenario, type ScenarioStep, titleOf } from "../scenarios/scenario.ts";

/** A fault as a scenario writes it. */
export interface StepFault {
  readonly on: "webhook";
  readonly event: string;
  readonly objectNumber?: number;
  readonly nth: number;
  readonly effect: EffectName;
  readonly events?: number;
  readonly attempt?: number;
  readonly attempts?: number;
}

/** The system of the partner, as far as it is seen from here. */
export interface PartnerSystem {
  /** Its state; rejects with a `ProbeFailure`. */
  readonly probe: (session: Session) => Promise<unknown>;
  /** Empties it before each run. */
  readonly reset?: () => Promise<void>;
  /** A new run begins: nothing of the one before is in flight any more. */
  readonly begin?: () => void;
}

interface PlayerOptions {
  /** The only world of the sandbox of this exploration, in which every run is played: its own side, and how steps reach it. */
  readonly world: PlayedWorld;
  readonly reached: ScenarioWorld;
  readonly operations: ScenarioOperations;
  readonly scenario: Scenario;
  readonly partner: PartnerSystem;
  readonly settleMs: number;
  /** Where its books are in the state that its probe shows. */
  readonly books?: BooksSettings | undefined;
  /** Whether the partner's system calls the sandbox, so that its calls are looked at. */
  readonly isLinted: boolean;
}

/** One run of the scenario. */
export interface Run {
  /** What `${run}` is. */
  readonly run: string;
  readonly seed: number;
  readonly faults: readonly StepFault[];
  readonly steps: readonly ScenarioStep[];
  /** Whether two states are equal, to see whether a state moves. */
  readonly isEqual?: (one: unknown, other: unknown) => boolean;
  /** Whether the steps are watched, to learn what happens in which of them. */
  readonly isWatched?: boolean;
}

/** What came of a run. */
export interface Played {
  readonly run: string;
  readonly deliveries: readonly PlayedDelivery[];
  /** Every text that the run has, by where it comes from, without those of events. */
  readonly origins: ReadonlyMap<string, string>;
  /** The state at the end; undefined where the probe gave none. */
  readonly state?: unknown;
  /** Why the probe gave no state. */
  readonly stateProblem?: string;
  /** Where the partner's books and the ledger parted first; empty where they agree, or are not compared. */
  readonly books: readonly BooksFinding[];
  /** How often the books were compared. */
  readonly moments: number;
  /** What is suspicious in the calls of the partner's system. */
  readonly lints: readonly Lint[];
  /** The reading before, where the state had not come to rest. */
  readonly moved?: unknown;
  /** The step that failed. */
  readonly failure?: { readonly step: number; readonly title: string; readonly message: string };
  /** By step, how many events there were at its end, and when that was; empty unless watched. */
  readonly stepEnds: readonly { readonly events: number; readonly at: number }[];
  /** The statuses of the answers, by step. */
  readonly statuses: ReadonlyMap<number, number | null | undefined>;
}

/** Plays a scenario again and again in one sandbox, each time from the start and with another seed. */
export class Player {
  readonly #options: PlayerOptions;

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  async play({ run, seed, faults, steps, isEqual, isWatched = false }: Run): Promise<Played> {
    const { world, reached, operations, partner, settleMs, isLinted } = this.#options;
    await partner.reset?.();
    partner.begin?.();
    const scenario = { ...this.#options.scenario, steps };
    const session = new Session(scenario, { world: reached, operations, seed, run, isLinted });
    world.reset({ seed });
    for (const fault of faults) world.fault(fault);
    const stepEnds: { events: number; at: number }[] = [];
    const books = this.#booksOf(session);
    let parted: readonly BooksFinding[] = [];
    const failure = await takeAll(session, async () => {
      if (isWatched) stepEnds.push(await this.#stepEnd());
      if (books !== undefined && parted.length === 0) parted = await books.check(false);
    });
    await world.advance({ until: "idle" });
    if (faults.some(({ effect }) => effectOf(effect).endsWithFault)) {
      world.removeFaults();
      await world.advance({ until: "idle" });
    }
    const probed = await this.#probe(session, { settleMs, ...(isEqual && { isEqual }) });
    if (books !== undefined && parted.length === 0) parted = await books.check(true);
    return {
      run,
      books: parted,
      moments: books?.moments ?? 0,
      deliveries: await world.deliveries(),
      origins: originsOf(session),
      lints: await lintsIn(session),
      ...probed,
      ...(failure && { failure }),
      stepEnds,
      statuses: session.statuses,
    };
  }

  #booksOf(session: Session): Books | undefined {
    const { books, partner, settleMs } = this.#options;
    return books && new Books(books, { session, settleMs, read: () => partner.probe(session) });
  }

  async #probe(
    session: Session,
    settle: Parameters<typeof settledState>[1],
  ): Promise<Pick<Played, "state" | "stateProblem" | "moved">> {
    try {
      const { state, before } = await settledState(() => this.#options.partner.probe(session), settle);
      return { state, ...(before !== undefined && { moved: before }) };
    } catch (error) {
      if (error instanceof ProbeFailure || error instanceof ExpressionError)
        return { stateProblem: error.message };
      throw error;
    }
  }

  async #stepEnd(): Promise<{ events: number; at: number }> {
    const { world } = this.#options;
    const deliveries = await world.deliveries();
    return {
      events: deliveries.filter(({ duplicateOf }) => duplicateOf === null).length,
      at: world.now,
    };
  }
}

async function takeAll(session: Session, ended: () => Promise<void>): Promise<Played["failure"]> {
  for (const step of session.scenario.steps) {
    try {
      await take(step, session);
    } catch (error) {
      if (!(error instanceof StepFailure) && !(error instanceof ExpressionError)) throw error;
      return { step: step.number, title: titleOf(step), message: error.message };
    }
    await ended();
  }
  return undefined;
}

/** Every text of what a session saved, and of what its steps sent. */
function originsOf(session: Session): Map<string, string> {
  const origins = new Map<string, string>();
  for (const [name, value] of session.values) {
    if (name === "run" || name === "world") continue;
    for (const [path, text] of originsIn(value, name)) origins.set(path, text);
  }
  for (const { number, line: _line, column: _column, expect: _expect, ...step } of session.taken)
    for (const [path, text] of originsIn(step, `step ${number}`))
      origins.set(path.replace(`step ${number}.`, `step ${number} `), text);
  return origins;
}

/**
 * The steps of a run in which something goes differently: what was expected of the world on the way is not expected
 * there. What a step answered in the baseline still decides whether a refusal fails it.
 */
export function stepsOfDeviation(
  steps: readonly ScenarioStep[],
  statuses: Played["statuses"],
): ScenarioStep[] {
  return steps
    .filter(({ verb }) => verb !== "expect")
    .map((step) => {
      const { expect, ...rest } = step;
      const status = expect?.status ?? refusedIn(statuses.get(step.number));
      const isAnswered = expect !== undefined && "status" in expect;
      return (isAnswered || status !== undefined ? { ...rest, expect: { status } } : rest) as ScenarioStep;
    });
}

function refusedIn(status: number | null | undefined): number | null | undefined {
  return status === null || (status !== undefined && status >= 400) ? status : undefined;
}
