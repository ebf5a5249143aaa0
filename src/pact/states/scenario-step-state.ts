import type { Scenario, ScenarioStep } from "../../scenarios/scenario.ts";

/** The param by which a scenario is a provider state: as it stands before the step of that number. */
export const BEFORE_STEP = "beforeStep";

/** The expressions of a step, `sub.id` and the like, by the names under which a state returns their values. */
export function expressionsIn(step: ScenarioStep | undefined): ReadonlyMap<string, string> {
  const { expect: _expect, ...asked } = (step ?? {}) as Readonly<Record<string, unknown>>;
  const expressions = Array.from(JSON.stringify(asked).matchAll(/\$\{([^}]+)\}/g), ([, inner = ""]) =>
    inner.trim(),
  );
  return new Map(expressions.map((expression) => [returnedName(expression), expression]));
}

/** `sub.initialCharge.orderId` is returned as `sub_initialCharge_orderId`: verifiers know simple names only. */
export function returnedName(expression: string): string {
  return expression.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_|_$/g, "");
}

/**
 * A scenario up to a step, which returns what that step is about to use. What it expects on the way is its own
 * affair: a call that has to be refused counts as reached, whatever else is expected of it.
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

function withoutExpectations(step: ScenarioStep): ScenarioStep[] {
  if (step.verb === "expect") return [];
  const { expect, ...rest } = step;
  const looksAtAnswer =
    expect !== undefined && ("status" in expect || "headers" in expect || "body" in expect);
  if (!looksAtAnswer) return [rest];
  return [{ ...rest, expect: { status: expect.status ?? { $any: true } } }];
}
