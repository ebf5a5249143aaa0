import type { AssumptionValues } from "../../simulator/platform/assumptions/assumptions.ts";
import { readAssumptions } from "../../simulator/platform/assumptions/reading.ts";
import type { StateLibrary } from "./state-library.ts";
import { type World, refuse } from "../../server/control/endpoint.ts";
import { PlayedWorld } from "../../server/access/played-world.ts";
import { createHash } from "node:crypto";
import type { Fetch } from "../../base/proxy.ts";
import { BEFORE_STEP, openExistingWorld, scenarioBefore } from "./state-scenario.ts";
import { DEFAULT_START, type Scenario } from "../../scenarios/scenario.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";
import { parseInstant } from "../../simulator/engine/instant.ts";
import { runScenario } from "../../scenarios/run.ts";

/** A state that a pact asks for. */
export interface AskedState {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** States of one interaction. */
const STATES_MAX = 100;

/** The states that were entered in a world since its interaction began. */
interface EnteredInteraction {
  /** A digest of each, which may have params of any size. */
  readonly states: readonly string[];
  readonly assumed: AssumptionValues;
  /** True if there was a request after the last state, even a request without effect. Then the interaction is over. */
  readonly isUsed: () => boolean;
  /** Set once its message was sent, the only purpose of the interaction. */
  readonly isOver?: true;
}

/**
 * Puts worlds into provider states. The first state of an interaction begins from the fixtures, and the later states
 * are added. An interaction ends with its teardown, with a request to the platform API, or when the same state is entered
 * again, because some verifiers send no teardowns.
 */
export class ProviderStates {
  readonly library: StateLibrary;
  readonly #interactions = new WeakMap<World, EnteredInteraction>();

  constructor(library: StateLibrary) {
    this.library = library;
  }

  /** Returns true if a state was entered in a world without a request since. */
  isEntered(world: World): boolean {
    return this.#current(world) !== undefined;
  }

  /**
   * Enters a state and returns its values. The empty name means the unchanged fixtures. Refuses an unknown state, or a
   * state that is not reached.
   */
  async enter(world: World, state: AskedState, fetch: Fetch): Promise<Readonly<Record<string, unknown>>> {
    const scenario = await this.#scenario(state);
    const digest = createHash("sha256").update(JSON.stringify(state)).digest("base64");
    const before = this.#current(world, digest);
    const played = new PlayedWorld(world);
    if (before === undefined) played.reset({ frozenAt: startOf(scenario, played) });
    const { states = [], assumed = {} } = before ?? {};
    if (states.length >= STATES_MAX) {
      const sentence = `An interaction has at most ${STATES_MAX} states. Send a request, or the teardown, before the next state.`;
      refuse("state", sentence, "INVALID");
    }
    const result =
      scenario &&
      (await runScenario(scenario, {
        openWorld: openExistingWorld(played, fetch, assumed),
        // Another seed for every state: two that call the same operation must not invent the same key.
        seed: (scenario.seed ?? 0) + states.length,
      }));
    const { values } = readAssumptions(scenario?.assumptions ?? {});
    this.#remember(world, { states: [...states, digest], assumed: { ...assumed, ...values } });
    if (result?.failure !== undefined) {
      const { step, title, message } = result.failure;
      const sentence = `The state "${state.name}" was not reached: step ${step} (${title}) of ${scenario?.file} failed. ${message}`;
      refuse("state", sentence, "FAILED");
    }
    return result?.returns ?? {};
  }

  /** Ends the interaction: the next request belongs to another one. Until then the world stays unchanged. */
  finish(world: World): void {
    const interaction = this.#interactions.get(world);
    if (interaction !== undefined) this.#interactions.set(world, { ...interaction, isOver: true });
  }

  /** Ends an interaction and resets the world. */
  leave(world: World): void {
    if (this.#interactions.delete(world)) new PlayedWorld(world).reset();
  }

  async #scenario({ name, params }: AskedState): Promise<Scenario | undefined> {
    if (name === "") return undefined;
    const isStep = BEFORE_STEP in params && !(BEFORE_STEP in (this.library.get(name)?.params ?? {}));
    if (isStep) return this.#before(name, params);
    const found = await this.library.scenario(name, params);
    if (found === undefined) {
      const { names } = this.library;
      const similar = suggestion(name, names, { quote: '"', countMax: 3 });
      const sentence = `There is no provider state "${name}". ${similar}`.trim();
      refuse("state", `${sentence} sandbank contracts states lists all ${names.length}.`, "UNKNOWN");
    }
    if ("mistakes" in found) {
      const mistakes = found.mistakes.map(({ message }) => message).join(" ");
      refuse("params", `The params of the state "${name}" are wrong. ${mistakes}`, "INVALID");
    }
    return found.scenario;
  }

  /** Returns any scenario before one of its steps. Generated pacts begin there. */
  async #before(name: string, { [BEFORE_STEP]: step, ...others }: AskedState["params"]): Promise<Scenario> {
    const scenario = await this.library.namedScenario(name);
    if (scenario === undefined) {
      const sentence = `There is no scenario "${name}". Name its file with --states, or post it to /sandbox/scenarios.`;
      refuse("state", sentence, "UNKNOWN");
    }
    const stepMax = scenario.steps.length + 1;
    const isStep = Number.isInteger(step) && Number(step) >= 1 && Number(step) <= stepMax;
    if (!isStep || Object.keys(others).length > 0) {
      const sentence = `A scenario takes one param, ${BEFORE_STEP}, a whole number from 1 to ${stepMax}.`;
      refuse("params", sentence, "INVALID");
    }
    return scenarioBefore(scenario, Number(step));
  }

  #current(world: World, coming?: string): EnteredInteraction | undefined {
    const interaction = this.#interactions.get(world);
    if (interaction === undefined || interaction.isOver) return undefined;
    const isOver = interaction.isUsed() || (coming !== undefined && interaction.states.includes(coming));
    return isOver ? undefined : interaction;
  }

  #remember(world: World, interaction: Omit<EnteredInteraction, "isUsed">): void {
    this.#interactions.set(world, { ...interaction, isUsed: new PlayedWorld(world).watchUse() });
  }
}

/**
 * Returns the start of a state: the start of its scenario, the given start of its world, or the default of scenarios.
 * Undefined for the start of the world.
 */
export function startOf(scenario: Scenario | undefined, world: PlayedWorld): number | undefined {
  if (scenario === undefined) return undefined;
  return parseInstant(scenario.start ?? (world.hasGivenStart ? "" : DEFAULT_START));
}
