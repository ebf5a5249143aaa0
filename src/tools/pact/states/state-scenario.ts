import type { OpenWorld, ScenarioWorld } from "../../scenarios/world.ts";
import type { Scenario, ScenarioStep } from "../../scenarios/scenario.ts";
import {
  type World,
  accessTokens,
  assume,
  companies,
  overrideWebhookUrl,
  webhookOverride,
} from "../../../control/world-access.ts";
import { type AssumptionValues, readAssumptions } from "../../../api/assumptions.ts";
import { formatInstant, parseInstant } from "../../../engine/instant.ts";
import { transportTo } from "../../../library/webhook-sending.ts";

/** The param that makes a scenario a provider state: the world before the step of that number. */
export const BEFORE_STEP = "beforeStep";

/** The expressions of a step, such as `sub.id`, by the names under which a state returns their values. */
export function expressionsIn(step: ScenarioStep | undefined): ReadonlyMap<string, string> {
  const { expect: _expect, ...request } = (step ?? {}) as Readonly<Record<string, unknown>>;
  const expressions = Array.from(JSON.stringify(request).matchAll(/\$\{([^}]+)\}/g), ([, inner = ""]) =>
    inner.trim(),
  );
  return new Map(expressions.map((expression) => [returnedName(expression), expression]));
}

/** `sub.initialCharge.orderId` is returned as `sub_initialCharge_orderId`: verifiers know simple names only. */
export function returnedName(expression: string): string {
  return expression.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_|_$/g, "");
}

/**
 * A scenario up to a step; it returns the values that the step uses. Its expectations are not checked: a call
 * that the platform refuses counts as done.
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
  const checksAnswer =
    expect !== undefined && ("status" in expect || "headers" in expect || "body" in expect);
  if (!checksAnswer) return [rest];
  return [{ ...rest, expect: { status: expect.status ?? { $any: true } } }];
}

/** How the steps of a state reach its world. */
export type Reached = Pick<ScenarioWorld, "fetch">;

/** Where the events of a state go when no URL is set. */
const STATE_RECEIVER_URL = "http://receiver.example/webhooks";

/**
 * Runs a scenario in an existing world, on top of its records. Meanwhile its webhooks go to the scenario's own
 * receiver and nowhere else. The clock advances to a `start` that is in the future; the scenario's assumptions
 * apply from now on.
 */
export function openExistingWorld(world: World, reached: Reached, assumed: AssumptionValues): OpenWorld {
  return async function openWorld({ receiver, start, assumptions }) {
    const { values } = readAssumptions(assumptions ?? {});
    command(world, (tx) => assume(tx, { ...world.settings.assumptions, ...assumed, ...values }));
    const instant = start === undefined ? undefined : parseInstant(start);
    if (instant !== undefined && instant > world.now) await world.advance({ to: instant });
    const restoreTransport = world.overrideTransport(transportTo(receiver));
    const restoreUrl = overrideMissingUrl(world);
    return {
      ...reached,
      settled: () => world.settled(),
      now: () => formatInstant(world.now),
      tokens: tokensOf(world),
      receiver,
      [Symbol.asyncDispose]: async () => {
        await world.settled();
        restoreUrl();
        restoreTransport();
      },
    };
  };
}

/** Sets a webhook URL where none is set, until the returned function is called: without one no event is sent. */
export function overrideMissingUrl(world: World): () => void {
  if (webhookOverride(world.records) !== null) return () => {};
  command(world, (tx) => overrideWebhookUrl(tx, STATE_RECEIVER_URL));
  return () => command(world, (tx) => overrideWebhookUrl(tx, null));
}

function command(world: World, change: Parameters<World["execute"]>[1]): void {
  world.execute({ by: "control", name: "provider state" }, change);
}

/** A token with scopes of each company of the world, by the company's name. */
function tokensOf({ records }: World): Record<string, string> {
  const tokens = [...records.all(accessTokens)].filter(({ scopes }) => scopes.length > 0);
  return Object.fromEntries(
    Array.from(records.all(companies), ({ id }): [string, string] => [
      id,
      tokens.find(({ companyId }) => companyId === id)?.id ?? "",
    ]),
  );
}
