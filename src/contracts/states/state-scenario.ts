import type { PlayedWorld } from "../../server/access/played-world.ts";
import type { Fetch } from "../../base/proxy.ts";
import { diverted, type OpenWorld } from "../../scenarios/world.ts";
import { type Scenario, type ScenarioStep, withoutExpectations } from "../../scenarios/scenario.ts";
import type { AssumptionValues } from "../../simulator/platform/assumptions/assumptions.ts";
import { readAssumptions } from "../../simulator/platform/assumptions/reading.ts";
import { parseInstant } from "../../simulator/engine/instant.ts";

/** The param that makes a scenario a provider state: the world before the step of that number. */
export const BEFORE_STEP = "beforeStep";

/** Returns the expressions of a step, such as `sub.id`, by the names of their values in the result of a state. */
export function expressionsIn(step: ScenarioStep | undefined): ReadonlyMap<string, string> {
  const { expect: _expect, ...request } = (step ?? {}) as Readonly<Record<string, unknown>>;
  const expressions = Array.from(JSON.stringify(request).matchAll(/\$\{([^{}]+)\}/g), ([, inner = ""]) =>
    inner.trim(),
  );
  return new Map(expressions.map((expression) => [returnedName(expression), expression]));
}

/** `sub.initialCharge.orderId` is returned as `sub_initialCharge_orderId`: verifiers know simple names only. */
export function returnedName(expression: string): string {
  return expression.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_|_$/g, "");
}

/**
 * Cuts a scenario before a step. The result returns the values that the step uses. Its expectations are not checked:
 * a call that the platform refuses counts as done.
 */
export function scenarioBefore(scenario: Scenario, step: number): Scenario {
  const { returns: _returns, ...rest } = scenario;
  const expressions = expressionsIn(scenario.steps[step - 1]);
  return {
    ...rest,
    steps: scenario.steps.slice(0, step - 1).flatMap(withoutExpectations),
    returns: Object.fromEntries(Array.from(expressions, ([name, expression]) => [name, `\${${expression}}`])),
  };
}

/**
 * Runs a scenario in an existing world, on top of its records. During the run its webhooks go only to the scenario's
 * own receiver. The clock advances to a `start` that is in the future. The scenario's assumptions apply from now on.
 */
export function openExistingWorld(world: PlayedWorld, fetch: Fetch, assumed: AssumptionValues): OpenWorld {
  return async function openWorld({ receiver, start, assumptions }) {
    const { values } = readAssumptions(assumptions ?? {});
    world.assume({ ...assumed, ...values });
    const instant = start === undefined ? undefined : parseInstant(start);
    if (instant !== undefined && instant > world.now) await world.advance({ to: instant });
    return { fetch, settled: () => world.settled(), ...diverted(world, receiver, "provider state") };
  };
}
