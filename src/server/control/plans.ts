import type { Records } from "../../simulator/engine/store.ts";
import { type Endpoint, refuse, refuseUnknown, valueOf } from "./endpoint.ts";
import { type Plan, armPlan, clearPlans, plans } from "../../simulator/platform/plans.ts";
import type { Problem } from "../../simulator/engine/refusal.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { foundValue } from "../../simulator/api/found-value.ts";
import { collections, steps } from "../../simulator/platform/catalog.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

/** Plans: the answers of the outside to the next steps. */
export const planEndpoints = {
  listPlans: {
    method: "GET",
    path: "/sandbox/plans",
    tag: "Outside",
    summary: "List the plans in force, and every possible plan",
    description: "A plan in force has the number of outcomes already used. A possible plan has its outcomes.",
    response: "PlanList",
    answer: ({ world }) => ({
      data: Array.from(world.records.all(plans), planShape),
      plans: Array.from(steps, ([plan, { step }]) => ({
        plan,
        summary: step.summary,
        outcomes: step.outcomes,
      })),
    }),
  } satisfies Endpoint,
  addPlan: {
    method: "POST",
    path: "/sandbox/plans",
    tag: "Outside",
    summary: "Add a plan",
    description: "If the object waits for an act, the plan performs this act.",
    request: "PlanRequest",
    response: "Plan",
    successStatus: 201,
    errors: ["NOT_FOUND"],
    problems: ({ body: { plan, outcomes } }) => [...nameProblems(plan), ...outcomeProblems(plan, outcomes)],
    answer: ({ world, body: { plan, on = null, outcomes }, inbound }) => {
      const request = { plan, on, outcomes };
      const collection = collectionOf(world, request);
      const armed = world.execute(
        { by: "control", name: "plan" },
        (tx) => {
          const made = armPlan(tx, request, collection);
          if (on !== null) steps.get(plan)?.wake(tx, on);
          return made;
        },
        inbound,
      );
      return planShape(valueOf(armed));
    },
  } satisfies Endpoint<"PlanRequest">,
  removePlans: {
    method: "DELETE",
    path: "/sandbox/plans",
    tag: "Outside",
    summary: "Remove all plans",
    description: "Outcomes that were already used stay as they are.",
    response: "RemovedCount",
    answer: ({ world, inbound }) => ({
      dropped: valueOf(world.execute({ by: "control", name: "plans dropped" }, clearPlans, inbound)),
    }),
  } satisfies Endpoint,
};

/**
 * The collection of the object that a plan is for. A plan for an object that does not exist, or that never takes such a
 * step, would never be used, so it is refused.
 */
function collectionOf({ records }: World, { plan, on }: Pick<Plan, "plan" | "on">): string | null {
  if (on === null) return null;
  const found = collectionsWith(records, on);
  const instead = "Leave `on` out to plan for the next object.";
  if (found.length === 0) refuseUnknown(`There is no object "${on.slice(0, 60)}" to plan for. ${instead}`);
  const right = steps.get(plan)?.plannedOn ?? [];
  const collection = found.find((name) => right.includes(name));
  if (collection !== undefined) return collection;
  const about =
    right.length === 0 ? "ends before there is an object to name" : `is for ${right.join(" and ")}`;
  return refuse("on", `The plan ${plan} ${about}; found an object of ${found.join(" and ")}. ${instead}`);
}

function collectionsWith(records: Records, id: string): string[] {
  return [...collections.keys()].filter((name) => collections.get(name)?.has(records, id));
}

const names = [...steps.keys()];

/** Returns the problems of the name of a plan. */
export function nameProblems(plan: unknown): Problem[] {
  if (plan === undefined) return [missing("plan", `must be one of ${names.join(", ")}`)];
  if (typeof plan === "string" && steps.has(plan)) return [];
  const meant = suggestion(typeof plan === "string" ? plan : "", names, { all: "GET /sandbox/plans" });
  return [invalid("plan", `There is no plan ${foundValue(plan)}. ${meant}`)];
}

/** No object takes so many steps. */
const OUTCOMES_MAX = 1_000;

/** Returns the problems of the outcomes of a plan. */
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

function planShape({ id, plan, on, outcomes, used }: Plan): object {
  return { id, plan, on, outcomes, used };
}
