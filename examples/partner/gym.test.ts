import type { AddressInfo } from "node:net";
import { createSandbox } from "sandbank";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { once } from "node:events";
import { BankingService, OutcomeUnknown } from "./banking-service.ts";
import { Gym } from "./gym.ts";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { receiver } from "./receiver.ts";
import { Store } from "./store.ts";
import { tmpdir } from "node:os";

const MARIA = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } } as const;

/** A gym with its own sandbox: requests stay in this process, webhooks come over a real connection. */
async function openGym({ file }: { readonly file?: string } = {}) {
  const sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
  const server = createServer((request, response) => webhooks(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const bank = new BankingService({
    baseUrl: "",
    client: { id: "acme", secret: "acme-secret" },
    fetch: (path, init) => sandbox.fetch(path, init),
  });
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  const accountId = "11111111-1111-4111-8111-111111111111";
  const start = (): Gym => new Gym({ bank, accountId, webhookUrl, store: new Store(file) });
  const gym = start();
  const webhooks = receiver(gym, "acme-webhook-secret");
  return {
    gym,
    sandbox,
    /** The gym after its process was killed. */
    start,
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      server.close();
    },
  };
}

/** A member who has joined and read the QR code. */
async function joined({ gym, sandbox }: Awaited<ReturnType<typeof openGym>>): Promise<string> {
  const { subscriptionId } = await gym.join(MARIA, "2026-11-20");
  await sandbox.act("subscription.accept", { id: subscriptionId });
  await sandbox.advance("PT0S");
  return subscriptionId;
}

test("the door opens once the member has accepted, and closes when the member cancels", async () => {
  await using opened = await openGym();
  const { gym, sandbox } = opened;
  const { subscriptionId, qrcode } = await gym.join(MARIA, "2026-11-20");
  expect(qrcode).toContain("br.gov.bcb.pix");
  expect(gym.isActive(subscriptionId)).toBe(false);
  await sandbox.act("subscription.accept", { id: subscriptionId });
  await sandbox.advance("PT0S");
  expect(gym.isActive(subscriptionId)).toBe(true);
  await sandbox.act("subscription.request-cancellation", {
    id: subscriptionId,
    reason: "REQUESTED_BY_PAYER",
  });
  await sandbox.advance("PT1M");
  expect(gym.isActive(subscriptionId)).toBe(false);
});

test("a month is paid once on its due date, even if it is charged several times", async () => {
  await using opened = await openGym();
  const { gym, sandbox } = opened;
  const subscriptionId = await joined(opened);
  const charge = await gym.charge(subscriptionId, "2026-11", "2026-11-25");
  expect(await gym.charge(subscriptionId, "2026-11", "2026-11-25")).toBe(charge);
  expect(gym.isPaid(charge)).toBe(false);
  await sandbox.advance({ to: "2026-11-25T21:00:00-03:00" });
  expect(gym.isPaid(charge)).toBe(true);
});

test("a month is paid by the charge that the platform sends again after a settlement error", async () => {
  await using opened = await openGym();
  const { gym, sandbox } = opened;
  const subscriptionId = await joined(opened);
  const charge = await gym.charge(subscriptionId, "2026-11", "2026-11-25");
  await sandbox.plan({
    plan: "scheduled-payment.settlement",
    on: charge,
    outcomes: ["SETTLEMENT_ERROR", "SETTLED"],
  });
  await sandbox.advance({ to: "2026-11-25T21:00:00-03:00" });
  expect(gym.isPaid(charge)).toBe(true);
});

test("a lost answer, and events that come twice or late, change nothing", async () => {
  await using opened = await openGym();
  const { gym, sandbox } = opened;
  await sandbox.fault({ on: "webhook", effect: "reset-after-request", times: 1 });
  await sandbox.fault({ on: "webhook", effect: "duplicate", copies: 2 });
  await sandbox.fault({ on: "webhook", effect: "reorder", window: "PT10M" });
  const subscriptionId = await joined(opened);
  await sandbox.act("subscription.request-cancellation", {
    id: subscriptionId,
    reason: "REQUESTED_BY_PAYER",
  });
  await sandbox.advance("P1D");
  expect(gym.isActive(subscriptionId)).toBe(false);
  expect(gym.books).toMatchObject({ processed: { [subscriptionId]: 3 } });
});

test("a refusal of the platform names the wrong field", async () => {
  await using opened = await openGym();
  const subscriptionId = await joined(opened);
  // Today is too early, because the payer must be informed first. The number of days is an assumption.
  await expect(opened.gym.charge(subscriptionId, "2026-11", "2026-11-20")).rejects.toMatchObject({
    status: 400,
    details: [{ field: "dueDate" }],
  });
});

test("a call with a lost answer is sent again unchanged, also by the next process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-gym-"));
  await using opened = await openGym({ file: join(folder, "gym.data") });
  const { gym, sandbox, start } = opened;
  await sandbox.fault({
    on: "api",
    operation: "createPayout",
    effect: "error",
    status: 500,
    after: true,
    times: 1,
  });
  await expect(gym.pay("trainer-1", "100.00", "ok@pix.example")).rejects.toThrow(OutcomeUnknown);
  const restarted = start();
  await restarted.catchUp();
  const id = await restarted.pay("trainer-1", "100.00", "ok@pix.example");
  expect(await start().pay("trainer-1", "100.00", "ok@pix.example")).toBe(id);
  expect(await sandbox.resources("payouts")).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

test("a refused token is renewed, and two requests at the same moment make one subscription", async () => {
  await using opened = await openGym();
  const { gym, sandbox } = opened;
  await gym.join({ ...MARIA, document: { type: "CPF", number: "90000000175" } }, "2026-11-20");
  await sandbox.fault({ on: "api", effect: "token-expired", times: 1 });
  const [one, other] = await Promise.all([gym.join(MARIA, "2026-11-20"), gym.join(MARIA, "2026-11-20")]);
  expect(one).toEqual(other);
  expect(await sandbox.resources("subscriptions")).toHaveLength(2);
});
