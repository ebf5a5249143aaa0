import { expect, test } from "vitest";
import { createSandbox } from "../../src/library/sandbox.ts";

const PERSON = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };

test.each([
  ["although the platform resends an equal one", "2026-11-25T10:00:00-03:00", ["charged-again"]],
  ["before anything went wrong", "2026-11-21T10:00:00-03:00", []],
])("a charge that is sent %s is reported or not", async (_, to, lints) => {
  await using sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00", mode: "frozen" });
  let count = 0;
  const ask = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = {
      authorization: "Bearer acme-token",
      "content-type": "application/json",
      "idempotency-key": `key-${++count}`,
    };
    const answer = await sandbox.fetch(path, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as { id: string };
  };
  const subscription = await ask("POST", "/order/v1/banking/subscriptions", {
    accountId: "11111111-1111-4111-8111-111111111111",
    type: "AUTHORIZATION_QRCODE",
    externalId: "gym-1",
    description: "Gym",
    // Nothing listens there.
    webhookUrl: "http://127.0.0.1:9/webhooks",
    frequencyType: "MONTHLY",
    startDate: "2026-11-20",
    debtor: PERSON,
  });
  await ask("POST", "/sandbox/acts/subscription.accept", { id: subscription.id, payer: PERSON });
  await ask("POST", "/sandbox/plans", {
    plan: "scheduled-payment.settlement",
    outcomes: ["SETTLEMENT_ERROR"],
  });
  const charge = (externalId: string): Promise<{ id: string }> =>
    ask("PUT", `/public/v1/banking/subscriptions/${subscription.id}/payments`, {
      externalId,
      purpose: "FIRST_ATTEMPT",
      dueDate: "2026-11-25",
      amount: { currency: "BRL", value: "59.90" },
    });
  await charge("charge-1");
  await ask("POST", "/sandbox/clock/advance", { to });
  await charge("charge-2");
  const answer = await sandbox.fetch("/sandbox/lints");
  const { data } = (await answer.json()) as { data: { lint: string; message: string }[] };
  expect(data.map(({ lint }) => lint)).toEqual(lints);
});
