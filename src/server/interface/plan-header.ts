import type { Call, Handler } from "../../simulator/platform/call.ts";
import type { Problem } from "../../simulator/engine/refusal.ts";
import type { Transaction } from "../../simulator/engine/transaction.ts";
import { type Plan, bindCallPlan, openCallPlan, usedOutcomes } from "../../simulator/platform/plans.ts";
import { invalidRequest } from "../../simulator/platform/refusals.ts";
import { listed } from "../../simulator/engine/suggestion.ts";
import { nameProblems, outcomeProblems } from "../control/plans.ts";
import { PLAN_HEADER } from "../request.ts";
import { objects, steps } from "../../simulator/platform/catalog.ts";
import type { Operation } from "../../simulator/api/operations.ts";

type CallPlan = Pick<Plan, "plan" | "outcomes">;

/** The plans of a call, and their problems. */
export interface PlanHeader {
  readonly plans: readonly CallPlan[];
  readonly problems: readonly Problem[];
}

/** Reads `scheduled-payment.settlement=SETTLEMENT_ERROR,SETTLED; order.payment=PAID`. */
export function readPlanHeader(header: string, operation: Operation): PlanHeader {
  if (operation.creates !== true) {
    const sentence = `${operation.operationId} creates no object, so a plan is not possible. Leave the header out.`;
    return { plans: [], problems: [problem("NOT_ALLOWED", sentence)] };
  }
  const plans = header.split(";").map(readPlan);
  return {
    plans,
    problems: plans.flatMap(({ plan, outcomes }) => {
      const wrong = nameProblems(plan);
      const found = wrong.length > 0 ? wrong : outcomeProblems(plan, outcomes);
      return found.map(({ issue, description }) => problem(issue, `${description} ${EXAMPLE}`));
    }),
  };
}

const EXAMPLE = "Write plan=OUTCOME,OUTCOME, and a semicolon between plans.";

function readPlan(text: string): CallPlan {
  const [name = "", ...outcomes] = text.split("=");
  const list = outcomes.join("=").split(",");
  return { plan: name.trim(), outcomes: list.map((outcome) => outcome.trim()) };
}

/**
 * Returns a handler whose plans are in force only for the objects that the call makes. Refuses a plan that no made
 * object would ever use, which undoes the call.
 */
export function withCallPlans(
  handler: Handler<unknown, unknown>,
  plans: readonly CallPlan[],
): Handler<unknown, unknown> {
  return function answerPlanned(tx, call) {
    const opened = plans.map((plan) => openCallPlan(tx, plan));
    const answer = handler(tx, call);
    const made = madeBy(tx, call, answer);
    const problems = opened.flatMap((plan) => {
      const places = steps.get(plan.plan)?.plannedOn ?? [];
      const on = made.find((id) => collectionIn(tx, places, id) !== undefined) ?? null;
      if (on === null && usedOutcomes(tx, plan) < plan.outcomes.length) {
        const about = places.length === 0 ? "something else" : listed(places);
        return [problem("NOT_ALLOWED", `The plan ${plan.plan} is for ${about}, and this call makes none.`)];
      }
      const collection = on === null ? undefined : collectionIn(tx, places, on);
      bindCallPlan(tx, plan, { on, collection: collection ?? null });
      return [];
    });
    if (problems.length > 0) throw invalidRequest(problems);
    return answer;
  };
}

/** Returns the collection that has the object. */
function collectionIn(tx: Transaction, collections: readonly string[], id: string): string | undefined {
  return collections.find((name) => objects.get(name)?.has(tx, id));
}

const ID = /"([\w-]{8,64})"/g;

/**
 * Returns the ids of the objects that a call has made, from its timeline and its answer. An id in the request existed
 * before.
 */
function madeBy(tx: Transaction, { params, body }: Call, answer: object): string[] {
  const named = JSON.stringify([params, body]);
  const logged = tx.timeline.flatMap(({ objectId }) => (objectId === null ? [] : [objectId]));
  const answered = Array.from(JSON.stringify(answer).matchAll(ID), ([, id = ""]) => id);
  return [...new Set([...logged, ...answered])].filter((id) => !named.includes(id));
}

function problem(issue: string, description: string): Problem {
  return { field: PLAN_HEADER, issue, description };
}
