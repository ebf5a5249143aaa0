import { expect, test } from "vitest";
import type { Assumption } from "../../../../src/simulator/platform/assumptions/assumption.ts";
import { assumptions } from "../../../../src/simulator/platform/catalog.ts";
import { readAssumption } from "../../../../src/simulator/platform/assumptions/reading.ts";

const catalogue = Object.entries<Assumption<unknown>>(assumptions);

/** The documented defaults; null is a statement. Users rely on the defaults: this list has to be changed with them. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  "http.statuses": "created-201",
  "http.statuses-of-actions": "200",
  "auth.token-endpoint": null,
  "auth.token-ttl": "PT3599S",
  "auth.header": null,
  "auth.scope-elsewhere": true,
  "auth.errors-everywhere": null,
  "tenancy.foreign-resource": "not-found",
  "amounts.input": null,
  "idempotency.format": null,
  "idempotency.replay": null,
  "idempotency.retention": "P1D",
  "payloads.unknown-fields": "ignore",
  "documents.validate": true,
  "subscription.required-fields": null,
  "subscription.currency": null,
  "subscription.external-id-unique": true,
  "subscription.both-amounts": null,
  "subscription.inactive-account": "forbidden",
  "subscription.initial-charge-on-journey-2": "refuse",
  "subscription.first-charge-expiry": "P1D",
  "subscription.first-charge-after-the-end": null,
  "subscription.journey-3-payer": null,
  "subscription.transitions": null,
  "subscription.after-end-date": "refuse",
  "subscription.events": "sent",
  "subscription.cancellable-in": null,
  "cancellation.delay": "PT5S",
  "cancellation.event-canceled-at": "null",
  "cancellation.reasons-in-resource": null,
  "charge.endpoint": null,
  "charge.window": null,
  "charge.window-min-days": 2,
  "charge.window-max-days": 10,
  "charge.external-id-unique": true,
  "charge.business-days": "weekends",
  "charge.journey-3": true,
  "charge.cancellation-cutoffs": null,
  "charge.receiver-cutoff": "22:00",
  "charge.payer-cutoff": "23:59:59",
  "charge.settlement-error-cancellation": "accepted-alone",
  "charge.schedule-delay": "PT5S",
  "charge.settlement-windows": null,
  "charge.first-attempt-at": "00:05",
  "charge.second-attempt-at": "18:05",
  "charge.final-at": "21:00",
  "charge.resend-delay": "PT30M",
  "charge.retries": null,
  "charge.retries-max": 3,
  "charge.retry-days-max": 7,
  "charge.per-cycle": "one",
  "charge.events": "sent",
  "charge.settles-as-order": null,
  "order.born-of-subscription": null,
  "order.field-names": null,
  "order.message-id-header": null,
  "order.statuses": null,
  "order.events": "all",
  "order.optional-customer": null,
  "order.bank-slug": null,
  "order.expiry": null,
  "order.boleto-expiry": "P3D",
  "order.default-expiry": "P1D",
  "order.v3": null,
  "order.deposit-banks": null,
  "refund.window": "P90D",
  "refund.delay": "PT5S",
  "refund.error-bodies": null,
  "payout.settlement-delay": null,
  "payout.pix-delay": "PT2S",
  "payout.ted-delay": "PT2S",
  "payout.ted-opens": "06:30",
  "payout.ted-closes": "17:00",
  "payout.balance": null,
  "payout.foreign-account": "forbidden",
  "payout.ted-end-to-end-id": null,
  "payout.unusable-qrcode": null,
  "payout.batch-threshold": "15000.00",
  "payout.parent-status": "error",
  "payout.insufficient-balance": "invalid",
  "payout.inactive-account": "forbidden",
  "payout.receiver-mismatch": "accept-then-error",
  "payout.unknown-key": "accept-then-error",
  "payout.webhook-url": null,
  "claim.endpoints": null,
  "claim.canceled-status": null,
  "claim.resends": 3,
  "claim.daily-dispatches": 10,
  "claim.code-ttl": "PT10M",
  "claim.attempts": 3,
  "webhook.config": null,
  "webhook.rotation": "immediate",
  "webhook.retry-intervals": ["PT1M", "PT5M", "PT30M", "PT2H"],
  "webhook.timeout": "PT10S",
  "webhook.egress": "local",
  "webhook.event-list": null,
  "autopilot.subscription.authorization": "manual",
  "autopilot.order.payment": "manual",
  "autopilot.cancellation.answer": "clock",
  "autopilot.scheduled-payment.scheduling": "clock",
  "autopilot.scheduled-payment.settlement": "clock",
  "autopilot.payout.settlement": "clock",
  "autopilot.refund.outcome": "clock",
  "autopilot.claim.answer": "manual",
  "autopilot.payer-delay": "PT5S",
};

test("every documented assumption exists with its default", () => {
  expect(Object.fromEntries(catalogue.map(([id, known]) => [id, known.default]))).toMatchObject(DEFAULTS);
});

test.each(catalogue.filter(([, { type }]) => type.kind !== "statement"))(
  "the default of %s can be written as its value",
  (id, { default: standard }) => {
    expect(readAssumption(id, standard)).toEqual({ value: standard });
    expect(readAssumption(id, String(standard))).toEqual({ value: standard });
  },
);

test("every assumption describes what it does, what leaves it open and why, in full sentences", () => {
  const sentence = /^\S.{15,}\.$/;
  const incomplete = catalogue.filter(
    ([, { says, leavesOpen, because }]) =>
      ![says, because].every((text) => sentence.test(text)) || leavesOpen.length < 15,
  );
  expect(incomplete.map(([id]) => id)).toEqual([]);
});

test("the parts that a statement names can be set", () => {
  const kinds = new Map(catalogue.map(([id, { type }]) => [id, type.kind]));
  const parts = catalogue.flatMap(([, known]) => known.parts ?? []);
  expect(parts.filter((part) => (kinds.get(part) ?? "statement") === "statement")).toEqual([]);
});
