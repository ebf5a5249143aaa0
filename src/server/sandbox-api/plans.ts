import type { ControlRequest } from "./control.ts";
import type { CollectionName } from "../../platform/resources.ts";
import type { Plan, PlanName } from "../../platform/plans/plan.ts";
import type { Problem } from "../../engine/refusal.ts";
import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import { armPlan, clearPlans, isPlanName, planOutcomes, plans } from "../../platform/plans/plan.ts";
import { closest } from "fastest-levenshtein";
import { Created, refuse, refuseProblems, refuseUnknown, valueOf } from "./control.ts";
import { resources } from "../../platform/resources.ts";
import { wakeStep } from "../../platform/plans/waiting-steps.ts";

type PlanRequest = Pick<Plan, "plan" | "on" | "outcomes">;

/** `GET /sandbox/plans`: what is armed, with what was used of it, and every plan there is with its outcomes. */
export function listPlans({ world }: ControlRequest): object {
  return {
    data: Array.from(world.records.all(plans), planShape),
    plans: Object.entries(planOutcomes).map(([plan, outcomes]) => ({ plan, outcomes })),
  };
}

/** `POST /sandbox/plans` `{plan, on?, outcomes}` */
export function makePlan(asked: ControlRequest): Created {
  const { world, inbound } = asked;
  const request = planRequest(asked);
  const armed = world.execute(
    { by: "control", name: "plan" },
    (tx) => {
      const plan = armPlan(tx, request);
      if (request.on !== null) wakeStep(tx, request.plan, request.on);
      return plan;
    },
    inbound,
  );
  return new Created(planShape(valueOf(armed)));
}

/** `DELETE /sandbox/plans`: takes back all that is not used yet. */
export function dropPlans({ world, inbound }: ControlRequest): object {
  return { dropped: valueOf(world.execute({ by: "control", name: "plans dropped" }, clearPlans, inbound)) };
}

function planRequest({ world, body }: ControlRequest): PlanRequest {
  const { plan, on = null, outcomes, ...others } = body;
  const problems = Object.keys(others).map((field) => notAllowed(field));
  if (plan === undefined) problems.push(missing("plan", `must be one of ${names.join(", ")}`));
  else if (typeof plan !== "string" || !isPlanName(plan)) {
    const meant = closest(foundValue(plan), names);
    problems.push(invalid("plan", `There is no plan ${foundValue(plan)}. Did you mean ${meant}?`));
  }
  if (on !== null && typeof on !== "string") {
    problems.push(invalid("on", `on must be the id of an object; found ${foundValue(on)}.`));
  }
  problems.push(...outcomeProblems(plan, outcomes));
  refuseProblems(problems);
  const request = { plan, on, outcomes } as PlanRequest;
  requireObject(world, request);
  return request;
}

/** A plan for an object that is not there, or that never takes such a step, would wait for ever. */
function requireObject({ records }: World, { plan, on }: PlanRequest): void {
  if (on === null) return;
  const collections = (Object.keys(resources) as CollectionName[]).filter(
    (name) => resources[name].get(records, on) !== undefined,
  );
  const instead = "Leave on out to plan for the next one.";
  if (collections.length === 0) {
    refuseUnknown(`There is no object "${on.slice(0, 60)}" to plan for. ${instead}`);
  }
  const right = planned[plan];
  if (collections.some((name) => right.includes(name))) return;
  const about =
    right.length === 0 ? "is over before there is an object to name" : `is for ${right.join(" and ")}`;
  refuse("on", `The plan ${plan} ${about}; found an object of ${collections.join(" and ")}. ${instead}`);
}

/** Whose steps each plan is for: what a cancellation is about may be named for it. */
const planned: Readonly<Record<PlanName, readonly CollectionName[]>> = {
  "subscription.registration": [],
  "subscription.authorization": ["subscriptions"],
  "cancellation.answer": ["cancellations", "subscriptions", "scheduled-payments"],
  "scheduled-payment.scheduling": ["scheduled-payments"],
  "scheduled-payment.settlement": ["scheduled-payments"],
  "order.payment": ["orders"],
  "payout.settlement": ["payouts"],
  "refund.outcome": ["refunds"],
  "claim.answer": ["claims"],
};

const names = Object.keys(planOutcomes);

function outcomeProblems(plan: unknown, outcomes: unknown): Problem[] {
  const possible: readonly string[] =
    typeof plan === "string" && isPlanName(plan) ? planOutcomes[plan] : [...new Set(everyOutcome)];
  const right = possible.join(", ");
  if (outcomes === undefined) return [missing("outcomes", `must be a list of ${right}`)];
  if (!Array.isArray(outcomes) || outcomes.length === 0) {
    return [invalid("outcomes", `outcomes must be a list of ${right}; found ${foundValue(outcomes)}.`)];
  }
  return outcomes.flatMap((outcome: unknown, at) =>
    possible.includes(outcome as string)
      ? []
      : [invalid(`outcomes[${at}]`, `The outcome must be one of ${right}; found ${foundValue(outcome)}.`)],
  );
}

const everyOutcome = Object.values(planOutcomes).flat();

function invalid(field: string, description: string): Problem {
  return { field, issue: "INVALID", description };
}

function missing(field: string, expected: string): Problem {
  return { field, issue: "REQUIRED", description: `${field} is missing: it ${expected}.` };
}

function notAllowed(field: string): Problem {
  const description = `${field.slice(0, 60)} is not a field of a plan, which has plan, on and outcomes.`;
  return { field, issue: "NOT_ALLOWED", description };
}

function planShape({ id, plan, on, outcomes, used }: Plan): object {
  return { id, plan, on, outcomes, used };
}
