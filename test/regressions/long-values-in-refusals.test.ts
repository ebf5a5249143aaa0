import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";

const LONG = "x".repeat(5_000);

test.each([
  ["POST", "/sandbox/clock/advance", { by: LONG }],
  ["PUT", "/sandbox/clock", { now: LONG }],
  ["POST", "/sandbox/worlds", { start: LONG }],
  ["POST", "/sandbox/plans", { plan: LONG, outcomes: [LONG] }],
  ["POST", "/sandbox/acts/subscription.accept", { id: { [LONG]: LONG } }],
  ["POST", "/sandbox/acts/subscription.accept", { id: LONG }],
  ["POST", "/sandbox/acts/account.close", { id: "11111111-1111-4111-8111-111111111111", [LONG]: 1 }],
  ["POST", "/sandbox/pact/states", { state: "", action: LONG }],
  ["POST", "/sandbox/pact/messages", { description: "", providerStates: LONG }],
  ["GET", `/sandbox/deliveries?status=${LONG}`, undefined],
])("a refusal shows only the beginning of a long value (%s %s)", async (method, path, body) => {
  await using sandbox = await createSandbox();
  const answer = await sandbox.fetch(path, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  expect([400, 404]).toContain(answer.status);
  expect(text.length).toBeLessThan(1_500);
});
