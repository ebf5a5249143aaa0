import type { ControlRequest } from "./control.ts";
import type { Plan } from "../platform/plans/plan.ts";
import { armPlan, clearPlans, isPlanName, planOutcomes, plans } from "../platform/plans/plan.ts";
import { closest } from "fastest-levenshtein";
import { Created, refuse, valueOf } from "./control.ts";
import { wakeStep } from "../platform/plans/waiting-steps.ts";

type PlanRequest = Pick<Plan, "plan" | "on" | "outcomes">;

/** `GET /sandbox/plans`: what is armed, with what was used of it, and every plan there is with its outcomes. */
export function listPlans({ world }: ControlRequest): object {
  return {
    data: Array.from(world.records.all(plans), planShape),
    plans: Object.entries(planOutcomes).map(([plan, outcomes]) => ({ plan, outcomes })),
  };
}

/** `POST /sandbox/plans` `{plan, on?, outcomes}` */
export function makePlan({ world, body }: ControlRequest): Created {
  const request = planRequest(body);
  const armed = world.execute({ by: "control", name: "plan" }, (tx) => {
    const plan = armPlan(tx, request);
    if (request.on !== null) wakeStep(tx, request.plan, request.on);
    return plan;
  });
  return new Created(planShape(valueOf(armed)));
}

/** `DELETE /sandbox/plans`: takes back all that is not used yet. */
export function dropPlans({ world }: ControlRequest): object {
  return { dropped: valueOf(world.execute({ by: "control", name: "plans dropped" }, clearPlans)) };
}

function planRequest({ plan, on = null, outcomes }: ControlRequest["body"]): PlanRequest {
  if (typeof plan !== "string" || !isPlanName(plan)) {
    const names = Object.keys(planOutcomes);
    refuse("plan", `There is no plan ${JSON.stringify(plan)}. Did you mean ${closest(String(plan), names)}?`);
  }
  if (on !== null && typeof on !== "string") {
    refuse("on", `on must be the id of an object; found ${JSON.stringify(on)}.`);
  }
  const possible: readonly string[] = planOutcomes[plan];
  if (!Array.isArray(outcomes) || outcomes.length === 0) {
    const right = possible.join(", ");
    refuse("outcomes", `outcomes must be a list of ${right}; found ${JSON.stringify(outcomes)}.`);
  }
  const wrong = outcomes.findIndex((outcome) => !possible.includes(outcome as string));
  if (wrong >= 0) {
    const found = JSON.stringify(outcomes[wrong]);
    refuse(`outcomes[${wrong}]`, `The outcome must be one of ${possible.join(", ")}; found ${found}.`);
  }
  return { plan, on, outcomes: outcomes as string[] };
}

function planShape({ id, plan, on, outcomes, used }: Plan): object {
  return { id, plan, on, outcomes, used };
}
