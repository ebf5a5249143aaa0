import type { ControlRequest } from "./control.ts";
import type { Plan } from "../platform/plans/plan.ts";
import { armPlan, clearPlans, isPlanName, planOutcomes, plans } from "../platform/plans/plan.ts";
import { closest } from "fastest-levenshtein";
import { Created, refuse, valueOf } from "./control.ts";

/** `GET /sandbox/plans`: what is armed, with what was used of it. */
export function listPlans({ world }: ControlRequest): object {
  return { data: Array.from(world.records.all(plans), planShape) };
}

/** `POST /sandbox/plans` `{plan, on?, outcomes}` */
export function makePlan({ world, body }: ControlRequest): Created {
  const { plan, on = null, outcomes } = body;
  if (typeof plan !== "string" || !isPlanName(plan)) {
    const names = Object.keys(planOutcomes);
    refuse("plan", `There is no plan ${JSON.stringify(plan)}. Did you mean ${closest(String(plan), names)}?`);
  }
  if (on !== null && typeof on !== "string")
    refuse("on", `on must be the id of an object; found ${JSON.stringify(on)}.`);
  const possible: readonly string[] = planOutcomes[plan];
  if (!Array.isArray(outcomes) || outcomes.length === 0) {
    refuse(
      "outcomes",
      `outcomes must be a list of ${possible.join(", ")}; found ${JSON.stringify(outcomes)}.`,
    );
  }
  for (const [index, outcome] of outcomes.entries()) {
    if (!possible.includes(outcome as string)) {
      refuse(
        `outcomes[${index}]`,
        `The outcome must be one of ${possible.join(", ")}; found ${JSON.stringify(outcome)}.`,
      );
    }
  }
  const cause = { by: "control", name: "plan" } as const;
  const armed = valueOf(
    world.execute(cause, (tx) => armPlan(tx, { plan, on, outcomes: outcomes as string[] })),
  );
  return new Created(planShape(armed));
}

/** `DELETE /sandbox/plans`: takes back all that is not used yet. */
export function dropPlans({ world }: ControlRequest): object {
  return { dropped: valueOf(world.execute({ by: "control", name: "plans dropped" }, clearPlans)) };
}

function planShape({ id, plan, on, outcomes, used }: Plan): object {
  return { id, plan, on, outcomes, used };
}
