import {
  type DeliveryOf,
  type Resources,
  type SandboxOptions,
  type SandboxWorld,
  type WebhookEvents,
  connectSandbox,
  createSandbox,
} from "../../src/index.ts";

// What the types of the library accept and refuse; types.everything.test.ts compiles this file. Each `@ts-expect-error` marks a
// mistake that the compiler has to find.

declare const world: SandboxWorld;

export async function acts(): Promise<string> {
  await world.act("subscription.reject", { id: "1" });
  await world.act("account.deposit", { id: "1", amount: "10.00" });
  await world.act("webhook.set-url", { url: "http://127.0.0.1:3000/webhooks" });
  // @ts-expect-error -- no act has this name
  await world.act("subscription.acept", { id: "1" });
  // @ts-expect-error -- an act names its object
  await world.act("subscription.accept", {});
  // @ts-expect-error -- a deposit has an amount
  await world.act("account.deposit", { id: "1" });
  // @ts-expect-error -- the act has no such field
  await world.act("subscription.reject", { id: "1", because: "no" });
  const { status } = await world.act("payout.settle", { id: "1" });
  // @ts-expect-error -- a payout is never ACCEPTED
  if (status === "ACCEPTED") return "?";
  return status;
}

export async function plans(): Promise<void> {
  await world.plan({ plan: "scheduled-payment.settlement", outcomes: ["SETTLEMENT_ERROR", "SETTLED"] });
  // @ts-expect-error -- no plan has this name
  await world.plan({ plan: "scheduled-payment.setlement", outcomes: ["SETTLED"] });
  // @ts-expect-error -- this plan has other outcomes
  await world.plan({ plan: "refund.outcome", outcomes: ["SETTLED"] });
  // @ts-expect-error -- a plan has outcomes
  await world.plan({ plan: "order.payment" });
}

export async function faults(): Promise<void> {
  await world.fault({ on: "webhook", effect: "delay", by: "PT1M", event: "SUBSCRIPTION.*", times: 1 });
  await world.fault({ on: "api", effect: "error", status: 503, operation: "createPayout" });
  // @ts-expect-error -- no effect has this name
  await world.fault({ on: "webhook", effect: "duplicat" });
  // @ts-expect-error -- a fault is on the webhook or on the api
  await world.fault({ on: "moon", effect: "latency", by: "PT1S" });
  // @ts-expect-error -- latency is on the api
  await world.fault({ on: "webhook", effect: "latency", by: "PT1S" });
  // @ts-expect-error -- an error has a status
  await world.fault({ on: "api", effect: "error" });
  // @ts-expect-error -- the effect has no such field
  await world.fault({ on: "webhook", effect: "drop", by: "PT1S" });
  // @ts-expect-error -- no event has this name
  await world.fault({ on: "webhook", effect: "drop", event: "SUBSCRIPTION.ACEPTED" });
  // @ts-expect-error -- no operation has this name
  await world.fault({ on: "api", effect: "reset", operation: "createPayot" });
}

export async function webhooks(): Promise<string | undefined> {
  const [paid] = await world.deliveries({ event: "ORDER-PAYOUT.PAID" });
  const endToEndId: string | null | undefined = paid?.body.endToEndId;
  // @ts-expect-error -- no event has this name
  await world.deliveries({ event: "ORDER-PAYOUT.PAYED" });
  // @ts-expect-error -- no delivery has this status
  await world.deliveries({ status: "sent" });
  for (const delivery of await world.deliveries()) {
    if (delivery.event === "SUBSCRIPTION.ACCEPTED") return delivery.body.data.id;
    // @ts-expect-error -- not every event has data
    if (delivery.body.data) return undefined;
  }
  return endToEndId ?? undefined;
}

/** What a receiver does with a body. */
export function handle(body: WebhookEvents["SUBSCRIPTION.ACCEPTED"]): string {
  // @ts-expect-error -- the body has the name of its event
  const other: "SUBSCRIPTION.REJECTED" = body.event;
  return other + body.data.status;
}

export async function objects(): Promise<Resources["payouts"]> {
  const subscription = await world.resource("subscriptions", "1");
  const statuses = (await world.resources("orders")).map(({ status }) => status);
  // @ts-expect-error -- no subscription is PAID
  if (subscription.status === "PAID") statuses.pop();
  // @ts-expect-error -- no collection has this name
  await world.resource("subscription", "1");
  // @ts-expect-error -- no operation has this name
  await world.requests({ operation: "createPayot" });
  return world.resource("payouts", "1");
}

export const options: SandboxOptions = {
  assumptions: { "refund.delay": "PT1S", "charge.retries-max": 2, "autopilot.payout.settlement": "manual" },
};
export const wrongOptions: SandboxOptions[] = [
  // @ts-expect-error -- no assumption has this id
  { assumptions: { "refund.dely": "PT1S" } },
  // @ts-expect-error -- this assumption is a number
  { assumptions: { "charge.retries-max": "2" } },
  // @ts-expect-error -- this assumption has other values
  { assumptions: { "autopilot.payout.settlement": "never" } },
  // @ts-expect-error -- a statement cannot be set
  { assumptions: { "http.statuses": null } },
];

/** The same test runs in process and against a server. */
export async function story(one: SandboxWorld): Promise<DeliveryOf<"SUBSCRIPTION.ACCEPTED">[]> {
  await one.act("subscription.accept", { id: one.company("acme").accounts[0] ?? "" });
  return one.deliveries({ event: "SUBSCRIPTION.ACCEPTED" });
}

export async function both(): Promise<void> {
  await using local = await createSandbox({ seed: 7 });
  await using remote = await connectSandbox("http://127.0.0.1:4010", { keep: true });
  for (const one of [local, remote]) await story(one);
  const digests: string[] = [local.digest(), await remote.digest(), remote.id, remote.dashboard];
  // @ts-expect-error -- a seed is a number
  await connectSandbox("http://127.0.0.1:4010", { seed: digests[0] });
}

export async function calls(): Promise<string> {
  const { account } = world.company("acme");
  const { balance } = await world.call("getAccountBalance", { accountId: account });
  // @ts-expect-error -- no operation has this name
  await world.call("getBalance", { accountId: account });
  // @ts-expect-error -- a path has its parameters
  await world.call("getAccountBalance", {});
  // @ts-expect-error -- an amount is no number alone
  await world.call("createPayout", { amount: 10 });
  // @ts-expect-error -- the clock goes by a duration or to a time
  await world.advance({ by: "P1D", to: "2026-11-25T21:00:00-03:00" });
  const paid = await world.webhook("ORDER-PAYOUT.PAID");
  // @ts-expect-error -- no event has this name
  await world.webhook("ORDER-PAYOUT.PAYED");
  return balance.value + paid.body.id;
}
