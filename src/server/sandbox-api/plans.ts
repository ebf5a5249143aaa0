import type { Problem } from "../../engine/refusal.ts";
import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import { type Plan, armPlan, clearPlans, plans } from "../../platform/plans.ts";
import {
  type ControlRequest,
  type ControlRoutes,
  created,
  refuse,
  refuseProblems,
  refuseUnknown,
  valueOf,
} from "./control.ts";
import { collections, steps } from "../../platform/catalog.ts";
import { suggestion } from "../../engine/suggestion.ts";

type PlanRequest = Pick<Plan, "plan" | "on" | "outcomes">;

/** Plans: what the outside will answer to the next steps. */
export const planRoutes: ControlRoutes = {
  "GET /plans": { summary: "List the plans in force, and every possible plan", answer: listPlans },
  "POST /plans": { summary: "Add a plan", answer: makePlan },
  "DELETE /plans": { summary: "Remove all plans", answer: dropPlans },
};

/** The plans in force, with the outcomes already used, and every possible plan with its outcomes. */
function listPlans({ world }: ControlRequest): object {
  return {
    data: Array.from(world.records.all(plans), planShape),
    plans: Array.from(steps, ([plan, { step }]) => ({
      plan,
      summary: step.summary,
      outcomes: step.outcomes,
    })),
  };
}

/** `{plan, on?, outcomes}` */
function makePlan(asked: ControlRequest): Response {
  const { world, inbound } = asked;
  const request = planRequest(asked);
  const collection = collectionOf(world, request);
  const armed = world.execute(
    { by: "control", name: "plan" },
    (tx) => {
      const plan = armPlan(tx, request, collection);
      if (request.on !== null) steps.get(request.plan)?.wake(tx, request.on);
      return plan;
    },
    inbound,
  );
  return created(asked, planShape(valueOf(armed)));
}

/** Removes the outcomes that are not used yet. */
function dropPlans({ world, inbound }: ControlRequest): object {
  return { dropped: valueOf(world.execute({ by: "control", name: "plans dropped" }, clearPlans, inbound)) };
}

function planRequest({ world, body }: ControlRequest): PlanRequest {
  const { plan, on = null, outcomes, ...others } = body;
  const problems = Object.keys(others).slice(0, OTHERS_MAX).map(notAllowed);
  if (plan === undefined) problems.push(missing("plan", `must be one of ${names.join(", ")}`));
  else problems.push(...nameProblems(plan));
  if (on !== null && typeof on !== "string") {
    problems.push(invalid("on", `on must be the id of an object; found ${foundValue(on)}.`));
  }
  problems.push(...outcomeProblems(plan, outcomes));
  refuseProblems(problems);
  const request = { plan, on, outcomes } as PlanRequest;
  requireObject(world, request);
  return request;
}

/** A plan for an object that does not exist, or that never takes such a step, would never be used. */
function requireObject({ records }: World, { plan, on }: PlanRequest): void {
  if (on === null) return;
  const found = collectionsWith(records, on);
  const instead = "Omit on to plan for the next one.";
  if (found.length === 0) {
    refuseUnknown(`There is no object "${on.slice(0, 60)}" to plan for. ${instead}`);
  }
  const right = steps.get(plan)?.plannedOn ?? [];
  if (found.some((name) => right.includes(name))) return;
  const about =
    right.length === 0 ? "ends before there is an object to name" : `is for ${right.join(" and ")}`;
  refuse("on", `The plan ${plan} ${about}; found an object of ${found.join(" and ")}. ${instead}`);
}

/** The collection of the object that a plan is for. */
function collectionOf({ records }: World, { plan, on }: PlanRequest): string | null {
  if (on === null) return null;
  const right = steps.get(plan)?.plannedOn ?? [];
  return collectionsWith(records, on).find((name) => right.includes(name)) ?? null;
}

function collectionsWith(records: World["records"], id: string): string[] {
  return [...collections.keys()].filter((name) => collections.get(name)?.has(records, id));
}

const names = [...steps.keys()];

/** What is wrong with the name of a plan. */
export function nameProblems(plan: unknown): Problem[] {
  if (typeof plan === "string" && steps.has(plan)) return [];
  const meant = suggestion(typeof plan === "string" ? plan : "", names);
  return [invalid("plan", `There is no plan ${foundValue(plan)}. ${meant}`)];
}

/** Unknown fields that are named. */
const OTHERS_MAX = 20;

/** No object takes so many steps. */
const OUTCOMES_MAX = 1_000;

/** What is wrong with the outcomes of a plan. */
export function outcomeProblems(plan: unknown, outcomes: unknown): Problem[] {
  const possible: readonly string[] = (typeof plan === "string"
    ? steps.get(plan)?.step.outcomes
    : undefined) ?? [...new Set(everyOutcome)];
  const right = possible.join(", ");
  if (outcomes === undefined) return [missing("outcomes", `must be a list of ${right}`)];
  if (!Array.isArray(outcomes) || outcomes.length === 0) {
    return [invalid("outcomes", `outcomes must be a list of ${right}; found ${foundValue(outcomes)}.`)];
  }
  if (outcomes.length > OUTCOMES_MAX) {
    const description = `A plan has at most ${OUTCOMES_MAX} outcomes; found ${outcomes.length}.`;
    return [{ field: "outcomes", issue: "LIMIT", description }];
  }
  return outcomes.flatMap((outcome: unknown, at) =>
    possible.includes(outcome as string)
      ? []
      : [invalid(`outcomes[${at}]`, `The outcome must be one of ${right}; found ${foundValue(outcome)}.`)],
  );
}

const everyOutcome = Array.from(steps.values(), ({ step }) => step.outcomes).flat();

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
