import { type Difference, differencesOf } from "./expectation.ts";
import type { Expectation, ResourceExpectation } from "./scenario.ts";
import { type Answer, type Session, idOf } from "./session.ts";

interface Delivery {
  readonly id: string;
  readonly attempts?: readonly {
    readonly at?: string;
    /** Its position among all attempts: many have the same time. */
    readonly sequence?: number;
    readonly requestBody?: string | null;
  }[];
  /** The exact text sent. */
  readonly body?: string | null;
}

/** Where the answer of a step, or the world, differs from the expectation. */
export async function observe(
  expectation: Expectation,
  answer: Answer | undefined,
  session: Session,
): Promise<Difference[]> {
  return [
    ...(answer === undefined ? [] : answerDifferences(expectation, answer)),
    ...(await deliveryDifferences(expectation, session)),
    ...(await resourceDifferences(expectation.resource, session)),
    ...(await ledgerDifferences(expectation.ledger, session)),
    ...happenedDifferences(expectation, session),
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

async function deliveryDifferences(expectation: Expectation, session: Session): Promise<Difference[]> {
  const { webhooks, deliveries } = expectation;
  if (webhooks === undefined && deliveries === undefined) return [];
  const { data } = (await session.observe("/sandbox/deliveries")) as { data: readonly Delivery[] };
  const all = deliveries === undefined ? [] : differencesOf(deliveries, data, "deliveries");
  if (webhooks === undefined) return all;
  const fresh = data.filter(({ id, attempts = [] }) => attempts.length > 0 && !session.seen.has(id));
  for (const { id } of fresh) session.seen.add(id);
  // In the order in which they were sent: a delayed event comes after one that was created later.
  const sent = fresh.toSorted(byFirstAttempt).map(bodyOf);
  return [...differencesOf(inOrder(webhooks), sent, "webhooks"), ...all];
}

/** A list of webhooks names those that matter, in order: others may be sent between them. `[]` expects none. */
function inOrder(webhooks: unknown): unknown {
  return Array.isArray(webhooks) && webhooks.length > 0 ? { $inOrder: webhooks } : webhooks;
}

function byFirstAttempt({ attempts: [one] = [] }: Delivery, { attempts: [other] = [] }: Delivery): number {
  const difference = (one?.at ?? "").localeCompare(other?.at ?? "");
  return difference === 0 ? (one?.sequence ?? 0) - (other?.sequence ?? 0) : difference;
}

function bodyOf({ body, attempts = [] }: Delivery): unknown {
  const text = body ?? attempts[0]?.requestBody ?? "";
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function resourceDifferences(
  expected: Expectation["resource"],
  session: Session,
): Promise<Difference[]> {
  if (expected === undefined) return [];
  const all = Array.isArray(expected) ? (expected as readonly ResourceExpectation[]) : undefined;
  const found: Difference[] = [];
  for (const [index, one] of (all ?? [expected as ResourceExpectation]).entries()) {
    const path = `/sandbox/resources/${encodeURIComponent(one.collection)}`;
    const actual =
      one.id === undefined
        ? ((await session.observe(path)) as { data?: unknown } | undefined)?.data
        : await session.observe(`${path}/${encodeURIComponent(idOf(one.id))}`);
    found.push(...differencesOf(one.is, actual, all ? `resource[${index}]` : "resource"));
  }
  return found;
}

async function ledgerDifferences(expected: unknown, session: Session): Promise<Difference[]> {
  if (expected === undefined) return [];
  const ledger = await session.observe("/sandbox/ledger");
  return differencesOf(expected === "balanced" ? { balanced: true } : expected, ledger, "ledger");
}

function happenedDifferences({ happened }: Expectation, session: Session): Difference[] {
  if (happened === undefined) return [];
  const differences = differencesOf(happened, session.happened, "happened");
  session.happened = [];
  return differences;
}
