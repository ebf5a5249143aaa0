import type { FakePerson } from "../server/access/sandbox-interface.ts";
import type { Lint } from "../simulator/api/generated/shapes.ts";
import { hasExpression, interpolate } from "./expression.ts";
import type { Repetition, Scenario, ScenarioStep } from "./scenario.ts";
import { StepClient } from "./step-client.ts";
import type { ScenarioWorld } from "./world.ts";
import { SETTLE_MS } from "../partner/settled-state.ts";
import { systemWall, type Wall } from "../base/wall.ts";

/** `${run}` of a scenario that is run once. */
const FIRST_RUN = "r1";

/** The facts that a run remembers from step to step. */
export interface Facts {
  /** The start, in wall time. */
  readonly startedMs: number;
  /** The steps so far by their names, with their expressions filled in. */
  readonly taken: (readonly [name: string, step: ScenarioStep])[];
  /** The status of the answer of each step outside of rounds, by its number. */
  readonly statuses: Map<number, number | null | undefined>;
  /** The object that the last step with an object was about. */
  subject: string | undefined;
  /** The deliveries that an `expect` has checked. */
  readonly seen: Set<string>;
  /** The timeline entries of `advance` steps that no `expect` has checked yet. */
  happened: readonly unknown[];
  /** The newest call of the partner's system when the last `request` began. */
  lastCallId: string | undefined;
  /** The suspicious calls so far. */
  readonly lints: Lint[];
  /** The last state that the partner's system showed. */
  shown: unknown;
}

/** One run of a scenario in a world: the values that a step reads. */
export class Session {
  readonly scenario: Scenario;
  readonly world: ScenarioWorld;
  readonly client: StepClient;
  /** The time outside the world. */
  readonly wall: Wall;
  readonly seed: number;
  /** The wall time for work of the partner's system after an answer. */
  readonly settleMs: number;
  /** True if the calls of the partner's system are checked. */
  readonly isLinted: boolean;
  /** The repetition of requests without their own setting; default: no repetition. */
  readonly repetition: Repetition | undefined;
  /** Shows the time of the world during a long advance. Called without a time at its end. */
  readonly onAdvance: ((now?: string) => void) | undefined;
  readonly onStep: ((step: ScenarioStep) => void) | undefined;
  readonly facts: Facts;
  #values: Map<string, unknown>;
  /** The name of the present round, such as `step 3 round 17`. Undefined outside of rounds. */
  #round: string | undefined;
  #personCount = 0;

  constructor(
    scenario: Scenario,
    options: {
      world: ScenarioWorld;
      seed: number;
      wall?: Wall;
      settleMs?: number;
      run?: string;
      repetition?: Repetition;
      isLinted?: boolean;
      onAdvance?: (now?: string) => void;
      onStep?: (step: ScenarioStep) => void;
    },
  ) {
    const { world, seed, wall = systemWall, run = FIRST_RUN, repetition, isLinted = false } = options;
    this.scenario = scenario;
    this.world = world;
    this.client = new StepClient(world);
    this.wall = wall;
    this.seed = seed;
    this.settleMs = options.settleMs ?? SETTLE_MS;
    this.isLinted = isLinted;
    this.repetition = repetition;
    this.onAdvance = options.onAdvance;
    this.onStep = options.onStep;
    this.facts = noFacts(wall.date());
    this.#values = new Map([["run", run]]);
  }

  /** The saved values, and `run`: a short text that differs from run to run. */
  get values(): ReadonlyMap<string, unknown> {
    return this.#values;
  }

  /** Saves a value for the expressions of later steps. */
  save(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  get isInRound(): boolean {
    return this.#round !== undefined;
  }

  /** Returns the name of a step in this run: `step 3`, or `step 3 round 17 step 2`. No other step has the same name. */
  nameOf({ number }: Pick<ScenarioStep, "number">): string {
    return [...(this.#round === undefined ? [] : [this.#round]), `step ${number}`].join(" ");
  }

  /** Begins a round of a `repeat`. The names that are saved until it is disposed belong to the round. */
  beginRound(number: number, round: number, as: string | undefined): Disposable {
    const [values, around] = [this.#values, this.#round];
    const name = `${this.nameOf({ number })} round ${round}`;
    this.#values = new Map(values);
    if (as !== undefined) this.#values.set(as, round);
    this.#round = name;
    return {
      [Symbol.dispose]: () => {
        this.#values = values;
        this.#round = around;
      },
    };
  }

  /** Fills in the expressions of `value`. Reads the clock only if an expression needs it. */
  async fill<Value>(value: Value): Promise<Value> {
    const text = JSON.stringify(value) ?? "";
    if (!hasExpression(text)) return value;
    const needsTime = /\$\{\s*(?:now|today)\b/.test(text);
    const now = needsTime ? await this.client.now() : undefined;
    const nextPerson = /\$\{\s*fake\b/.test(text) ? await this.#people() : undefined;
    return interpolate(value, { values: this.#values, now, nextPerson }) as Value;
  }

  /** Invents the next person of this run. The names are loaded with the first one. */
  async #people(): Promise<() => FakePerson> {
    const { fakePerson } = await import("./fake-person.ts");
    return () => fakePerson(this.seed, ++this.#personCount);
  }
}

function noFacts(startedMs: number): Facts {
  return {
    startedMs,
    taken: [],
    statuses: new Map(),
    subject: undefined,
    seen: new Set(),
    happened: [],
    lastCallId: undefined,
    lints: [],
    shown: undefined,
  };
}
