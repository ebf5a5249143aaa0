import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { createSandbox } from "../../../src/index.ts";

/** What this partner, or its suite, does badly: planted dependences and planted gaps. */
const plants = new Set(process.argv.slice(2));

const ACCOUNT = "11111111-1111-4111-8111-111111111111";
const MARIA = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } } as const;
const START = "2026-11-20T09:00:00-03:00";
const DUE = "2026-11-25";
const STATUSES = new Set(["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED", "REJECTED", "CANCELED", "ERROR"]);
const EVENTS = /^(SUBSCRIPTION|ORDER-PAYIN|ORDER-PAYOUT)\.(?!.*UNDER_REVIEW)/;

interface Amount {
  readonly value: string;
}

interface PlatformEvent {
  readonly event: string;
  readonly id?: string;
  readonly refundId?: string;
  readonly amount?: Amount;
  readonly data?: {
    readonly id: string;
    readonly settlementErrorRetryRootId?: string;
    readonly fixedAmount?: Amount;
  };
}

/** A partner's system: it knows which events came about each object, in whichever order. */
class Partner {
  readonly #events = new Set<string>();
  readonly #resends = new Map<string, string>();
  /** What events say about the money of each object. */
  readonly amounts = new Map<string, string | undefined>();
  /** How often each answer is refused before one is acknowledged. */
  refusals = 0;

  receive(body: string, signature: string | undefined): number {
    const digest = createHmac("sha256", "acme-webhook-secret").update(body).digest("hex");
    if (!plants.has("signatures unchecked") && signature !== `sha256=${digest}`) return 401;
    if (this.refusals-- > 0) return 503;
    const event = JSON.parse(body) as PlatformEvent;
    const position = "data" in event ? 0 : 2;
    const name = plants.has("fields by position") ? String(Object.values(event)[position]) : event.event;
    if (!EVENTS.test(name)) return plants.has("unknown events are errors") ? 500 : 200;
    const { id = event.refundId ?? event.id ?? "", settlementErrorRetryRootId: root } = event.data ?? {};
    this.#events.add(`${id} ${name}`);
    this.amounts.set(id, event.amount?.value ?? event.data?.fixedAmount?.value);
    if (root !== undefined) this.#resends.set(root, id);
    return 200;
  }

  knows(id: string, event: string): boolean {
    return this.#events.has(`${id} ${event}`);
  }

  isPaid(charge: string): boolean {
    const ids = [charge, this.#resends.get(charge) ?? ""];
    return ids.some((id) => this.knows(id, "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED"));
  }
}

async function open() {
  const partner = new Partner();
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const signature = request.headers["x-signature-sha256"];
      response.writeHead(partner.receive(await text(request), signature as string)).end();
    };
    void answer();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const webhookUrl = `http://127.0.0.1:${port}/webhooks`;
  const assumptions = plants.has("sets what it depends on") ? { "charge.resend-delay": "PT30M" } : {};
  const sandbox = await createSandbox({ seed: 7, start: START, webhookUrl, assumptions });
  const close = async (): Promise<void> => {
    await sandbox.close();
    server.close();
    server.closeAllConnections();
  };
  return { partner, sandbox, webhookUrl, [Symbol.asyncDispose]: close };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function subscribed({ partner, sandbox, webhookUrl }: Opened) {
  const { id } = await sandbox.call("createSubscription", {
    type: "AUTHORIZATION_QRCODE",
    frequencyType: "MONTHLY",
    accountId: ACCOUNT,
    externalId: "member-1",
    startDate: "2026-11-20",
    fixedAmount: { currency: "BRL", value: "59.90" },
    debtor: MARIA,
    webhookUrl,
  });
  if (plants.has("unknown statuses are errors"))
    for (const { status } of (await sandbox.call("getSubscription", { id })).statusHistory)
      assert.ok(STATUSES.has(status), `unknown status ${status}`);
  await sandbox.act("subscription.accept", { id });
  await sandbox.advance("PT0S");
  assert.ok(partner.knows(id, "SUBSCRIPTION.ACCEPTED"), "the member is not active");
  assert.equal(partner.amounts.get(id), "59.90");
  return id;
}

async function charged(opened: Opened): Promise<string> {
  const { sandbox } = opened;
  const { id, amount } = await sandbox.call("createScheduledPayment", {
    id: await subscribed(opened),
    externalId: "month-1",
    dueDate: DUE,
    amount: { currency: "BRL", value: "59.90" },
  });
  assert.equal(amount.value, "59.90");
  return id;
}

void test("a resent charge is booked once", async () => {
  await using opened = await open();
  const { partner, sandbox } = opened;
  const charge = await charged(opened);
  if (plants.has("a webhook is the answer")) {
    await sandbox.advance("PT6S");
    assert.ok(partner.knows(charge, "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED"), "no answer yet");
  }
  await sandbox.plan({
    plan: "scheduled-payment.settlement",
    on: charge,
    outcomes: ["SETTLEMENT_ERROR", "SETTLED"],
  });
  const isHardCoded = ["thirty minutes", "sets what it depends on"].some((plant) => plants.has(plant));
  await sandbox.advance({ to: `${DUE}T${isHardCoded ? "00:36:00" : "23:59:00"}-03:00` });
  assert.ok(partner.isPaid(charge), "the charge is not paid");
  for (const event of ["ACCEPTED", "CANCELLATION.ACCEPTED"])
    assert.ok(partner.knows(charge, `SUBSCRIPTION.SCHEDULED_PAYMENT.${event}`), `not ${event}`);
});

void test("an event is handled though the first answers are lost", async () => {
  await using opened = await open();
  const { partner, sandbox } = opened;
  const id = await subscribed(opened);
  partner.refusals = 3;
  await sandbox.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
  await sandbox.advance("P2D");
  assert.ok(partner.knows(id, "SUBSCRIPTION.CANCELLATION.ACCEPTED"), "the member is still active");
  const all = await sandbox.deliveries();
  assert.ok(
    all.every(({ status }) => status === "delivered"),
    "an event was not delivered",
  );
  if (!plants.has("a map of four retries")) return;
  const { attempts } = all.find((one) => one.attempts.length > 1)!;
  const minutes = [1, 5, 30, 120];
  for (const [index, { at }] of attempts.slice(1).entries()) {
    const waited = (Date.parse(at) - Date.parse(attempts[index]!.at)) / 60_000;
    assert.equal(Math.round(waited), minutes[index], `retry ${index + 1}`);
  }
});

void test("an order is refunded", async () => {
  await using opened = await open();
  const { partner, sandbox, webhookUrl } = opened;
  const { id, fees, finalAmount } = await sandbox.call("createTransparentOrder", {
    customer: { ...MARIA, entityType: "INDIVIDUAL" },
    order: {
      externalId: "order-1",
      paymentMethod: "PIX",
      amount: { currency: "BRL", value: "150.00" },
      description: "Two coffees",
      notificationUrl: webhookUrl,
      expiresIn: 3600,
    },
  });
  await sandbox.act("order.pay", { id });
  await sandbox.advance("PT0S");
  if (!plants.has("no test of a paid order")) {
    const sum = Object.values(fees ?? {}).reduce((all, fee) => all + Number(fee), 150);
    assert.equal(Number(finalAmount?.value), sum);
    assert.ok(partner.knows(id, "ORDER-PAYIN.PAID"), "the order is not paid");
    assert.equal(partner.amounts.get(id), finalAmount?.value);
  }
  const asked = sandbox.call("refundOrder", {
    orderId: id,
    reason: "The coffee was cold",
    requestedBy: { name: "Ana Lima", email: "ana@partner.example" },
    amount: "150.00",
  });
  let isAnswered = false;
  const answered = (): void => void (isAnswered = true);
  asked.then(answered, answered);
  if (plants.has("a delay is slept through")) {
    await pause(500);
    assert.ok(isAnswered, "no answer after half a second");
  }
  const refund = await asked;
  await sandbox.advance("PT1M");
  const isRefused = ["REJECTED", "ERROR"].some((end) => partner.knows(refund.id, `ORDER-PAYIN.${end}`));
  if (plants.has("no test of a refused refund") && isRefused) return;
  assert.ok(partner.knows(refund.id, "ORDER-PAYIN.REFUNDED"), "the order is not refunded");
  assert.equal(refund.amount, "150.00");
});
