import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { GenericContainer, Wait } from "testcontainers";

let container;
let url = "";

// One server for all tests. Each test has its own world.
before(
  async () => {
    container = await new GenericContainer(process.env.SANDBANK_IMAGE ?? "sandbank")
      .withExposedPorts(4010)
      .withCommand(["serve", "--frozen"])
      .withWaitStrategy(Wait.forHttp("/sandbox/ready", 4010))
      .start();
    url = `http://${container.getHost()}:${container.getMappedPort(4010)}`;
  },
  { timeout: 120_000 },
);

after(() => container?.stop());

/** Calls the server, and fails if the server refuses. */
async function call(method, path, { body, headers } = {}) {
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

test("a payout is paid within a minute", async () => {
  const world = await call("POST", "/sandbox/worlds", { body: { start: "2026-11-20T09:00:00-03:00" } });
  const [acme] = world.companies;
  const authorization = `Bearer ${acme.token}`;
  const { id, status } = await call("POST", "/order/v1/banking/order-payouts", {
    headers: { authorization, "idempotency-key": "payout-1" },
    body: {
      externalId: "payout-1",
      accountId: acme.accounts[0],
      paymentMethod: "PIX",
      paymentData: { pixKey: "ok@pix.example" },
      amount: { currency: "BRL", value: "10.00" },
      description: "A first payout",
    },
  });
  assert.equal(status, "PENDING");
  await call("POST", "/sandbox/clock/advance", { headers: { authorization }, body: { by: "PT1M" } });
  const paid = await call("GET", `/sandbox/resources/payouts/${id}`, { headers: { authorization } });
  assert.equal(paid.status, "PAID");
  await call("DELETE", `/sandbox/worlds/${world.id}`);
});
