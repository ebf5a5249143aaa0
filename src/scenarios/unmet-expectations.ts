import type { Answer } from "../partner/partner-request.ts";
import { EVERY } from "../server/control/client.js";
import { type Difference, differencesOf } from "./expectation.ts";
import type { Expectation, ResourceExpectation } from "./scenario.ts";
import { parsed } from "../simulator/engine/json.ts";
import type { Delivery } from "../simulator/api/generated/shapes.ts";
import type { Facts, Session } from "./session.ts";
import type { StepClient } from "./step-client.ts";
import { StepFailure, idOf } from "./step-failure.ts";

/** Finds the differences between the expectation and the answer of a step, or the world. */
export async function unmetExpectations(
  expectation: Expectation,
  answer: Answer | undefined,
  { client, facts }: Pick<Session, "client" | "facts">,
): Promise<Difference[]> {
  return [
    ...(answer === undefined ? [] : answerDifferences(expectation, answer)),
    ...(await deliveryDifferences(expectation, client, facts)),
    ...(await resourceDifferences(expectation.resource, client)),
    ...(await ledgerDifferences(expectation.ledger, client)),
    ...happenedDifferences(expectation, facts),
  ];
}

function answerDifferences({ status, headers, body }: Expectation, answer: Answer): Difference[] {
  return [
    ...(status === undefined ? [] : differencesOf(status, answer.status, "status")),
    ...(headers === undefined ? [] : differencesOf(lowered(headers), answer.headers, "headers")),
    ...(body === undefined ? [] : differencesOf(body, answer.body, "body")),
  ];
}

function lowered(headers: unknown): { [name: string]: unknown } {
  const named = Object.entries(headers as { [name: string]: unknown });
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value]));
}

async function deliveryDifferences(
  expectation: Expectation,
  client: StepClient,
  { seen }: Facts,
): Promise<Difference[]> {
  const { webhooks, deliveries } = expectation;
  if (webhooks === undefined && deliveries === undefined) return [];
  const { data } = await client.ask("GET /sandbox/deliveries", { last: EVERY });
  const all = deliveries === undefined ? [] : differencesOf(deliveries, data, "deliveries");
  if (webhooks === undefined) return all;
  const fresh = data.filter(({ id, attempts }) => attempts.length > 0 && !seen.has(id));
  for (const { id } of fresh) seen.add(id);
  // In the order of sending: a delayed event comes after an event that was created later.
  const sent = fresh.toSorted(byFirstAttempt).map(({ body }) => parsed(body) ?? "");
  return [...differencesOf(inOrder(webhooks), sent, "webhooks"), ...all];
}

/**
 * Turns a list of webhooks into a matcher of their order: others may be sent between them. `[]` expects an empty list.
 */
function inOrder(webhooks: unknown): unknown {
  return Array.isArray(webhooks) && webhooks.length > 0 ? { $inOrder: webhooks } : webhooks;
}

function byFirstAttempt({ attempts: [one] }: Delivery, { attempts: [other] }: Delivery): number {
  const difference = (one?.at ?? "").localeCompare(other?.at ?? "");
  return difference === 0 ? (one?.sequence ?? 0) - (other?.sequence ?? 0) : difference;
}

async function resourceDifferences(
  expected: Expectation["resource"],
  client: StepClient,
): Promise<Difference[]> {
  if (expected === undefined) return [];
  const isList = Array.isArray(expected);
  const found: Difference[] = [];
  for (const [index, one] of [expected].flat().entries())
    found.push(
      ...differencesOf(one.is, await foundAs(one, client), isList ? `resource[${index}]` : "resource"),
    );
  return found;
}

/** Returns an object, or the objects of a collection. Undefined if it does not exist. */
async function foundAs({ collection, id }: ResourceExpectation, client: StepClient): Promise<unknown> {
  try {
    if (id !== undefined)
      return await client.ask("GET /sandbox/resources/{collection}/{id}", { collection, id: idOf(id) });
    return (await client.ask("GET /sandbox/resources/{collection}", { collection })).data;
  } catch (error) {
    if (error instanceof StepFailure && error.answer?.status === 404) return undefined;
    throw error;
  }
}

async function ledgerDifferences(expected: unknown, client: StepClient): Promise<Difference[]> {
  if (expected === undefined) return [];
  const ledger = await client.ask("GET /sandbox/ledger", { last: EVERY });
  return differencesOf(expected === "balanced" ? { balanced: true } : expected, ledger, "ledger");
}

function happenedDifferences({ happened }: Expectation, facts: Facts): Difference[] {
  if (happened === undefined) return [];
  const differences = differencesOf(happened, facts.happened, "happened");
  facts.happened = [];
  return differences;
}
