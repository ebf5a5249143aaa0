import { type Answered, type Partner, createSubscription } from "../../../partner.ts";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { instantAt, localDate, localTime } from "../../../../src/simulator/countries/brazil/calendar.ts";
import { assertDefined } from "../../../../src/simulator/engine/assertion.ts";
import { formatInstant, parseInstant } from "../../../../src/simulator/engine/instant.ts";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

/** A subscription that its payer has accepted. */
export async function acceptedSubscription(partner: Partner, changed: object = {}): Promise<SandboxObject> {
  const subscription = await createSubscription(partner, changed);
  return partner.act("subscription.accept", { id: subscription["id"] });
}

/** A valid charge of the fifth day ahead; what a test is about, it writes over it. */
export function chargeBody(changed: object = {}): SandboxObject {
  return {
    externalId: "charge-1",
    dueDate: "2026-11-25",
    amount: { currency: "BRL", value: "59.90" },
    ...changed,
  };
}

/** Asks for a charge. */
export function putCharge(partner: Partner, subscriptionId: unknown, body: unknown): Promise<Answered> {
  return partner.ask("PUT", `/public/v1/banking/subscriptions/${String(subscriptionId)}/payments`, { body });
}

/** Creates a charge, and gives the answer's body. */
export async function createCharge(
  partner: Partner,
  subscriptionId: unknown,
  changed: object = {},
): Promise<SandboxObject> {
  const { status, body } = await putCharge(partner, subscriptionId, chargeBody(changed));
  if (status !== 200) throw new Error(`no charge was created: ${JSON.stringify(body)}`);
  return body;
}

/** What is wrong with a charge that is refused: field and issue of each detail. */
export async function refusalOf(
  partner: Partner,
  subscriptionId: unknown,
  changed: object = {},
): Promise<string[]> {
  const { status, body } = await putCharge(partner, subscriptionId, chargeBody(changed));
  if (status !== 400) throw new Error(`not refused with 400: ${status} ${JSON.stringify(body)}`);
  return (body["details"] as SandboxObject[]).map(({ field, issue }) => `${field} ${issue}`);
}

export async function planSettlement(partner: Partner, on: unknown, outcomes: string[]): Promise<void> {
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", on: String(on), outcomes });
}

/** Advances to a moment in São Paulo: `2026-11-25 18:05`. */
export async function advanceTo(partner: Partner, moment: string): Promise<void> {
  const [date = "", time = ""] = moment.split(" ");
  await partner.advance({ to: formatInstant(instantAt(date, time)) });
}

/** A charge as the sandbox shows it. */
export async function chargeOf(partner: Partner, id: unknown): Promise<SandboxObject> {
  return (await partner.ask("GET", `/sandbox/resources/scheduled-payments/${String(id)}`)).body;
}

export async function charges(partner: Partner): Promise<SandboxObject[]> {
  const { body } = await partner.ask("GET", "/sandbox/resources/scheduled-payments");
  return body["data"] as SandboxObject[];
}

/** The events about charges so far, each checked against its shape. */
export async function chargeEvents(partner: Partner): Promise<SandboxObject[]> {
  const events = (await partner.webhooks()).filter(({ event }) =>
    String(event).startsWith("SUBSCRIPTION.SCHEDULED_PAYMENT."),
  );
  for (const body of events) {
    const isCancellation = String(body["event"]).includes(".CANCELLATION.");
    const wrong = shapeProblems(
      isCancellation ? "ScheduledPaymentCancellationEvent" : "ScheduledPaymentEvent",
      body,
    );
    if (wrong.length > 0) throw new Error(`${JSON.stringify(wrong)} in ${JSON.stringify(body)}`);
  }
  return events;
}

/**
 * The events about charges as lines: moment in São Paulo, event without its prefix, the charge's status and the
 * reason of a cancellation: `2026-11-25 00:05:00 CANCELLATION.ACCEPTED CANCELED SETTLEMENT_ERROR`.
 */
export async function story(partner: Partner): Promise<string[]> {
  return (await chargeEvents(partner)).map(({ event, occurredAt, data }) => {
    const at = assertDefined(parseInstant(String(occurredAt)), "the time of an event");
    const { status, cancellation } = data as { status: string; cancellation?: { reason: string } };
    const words = [localDate(at), localTime(at), String(event).split("SCHEDULED_PAYMENT.")[1], status];
    return [...words, ...(cancellation ? [cancellation.reason] : [])].join(" ");
  });
}
