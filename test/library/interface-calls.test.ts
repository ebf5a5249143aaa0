import {
  SandboxRefusal,
  type SandboxWorld,
  type OperationCalls,
  connectSandbox,
  createSandbox,
} from "../../src/index.ts";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { once } from "node:events";
import { subscriptionBody } from "../partner.ts";

const START = "2026-11-20T09:00:00-03:00";

const OPENED: Readonly<Record<string, () => Promise<SandboxWorld>>> = {
  createSandbox: () => createSandbox({ start: START, seed: 7 }),
  connectSandbox: async () => {
    const server = await createSandbox();
    onTestFinished(() => server.close());
    return connectSandbox((await server.listen()).url, { start: START, seed: 7 });
  },
};

async function openReceiver(): Promise<string> {
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

function payout(world: SandboxWorld): OperationCalls["createPayout"]["input"] {
  return {
    externalId: "payout-1",
    accountId: world.company("acme").account,
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "10.00" },
    description: "A payout",
  };
}

describe.each(Object.entries(OPENED))("a world of %s", (_name, open) => {
  test("names the nearest operation for a name that does not exist", async () => {
    await using world = await open();
    const call = (name: string): Promise<unknown> => world.call(name as "createPayout");
    await expect(call("createPayot")).rejects.toThrow(
      'Failed to call "createPayot": there is no such operation. Did you mean createPayout?',
    );
    await expect(call("toString")).rejects.toThrow("there is no such operation");
  });

  test("tells its time and removes faults", async () => {
    await using world = await open();
    expect(await world.now()).toBe("2026-11-20T12:00:00.000Z");
    await world.advance("PT1H");
    expect(await world.now()).toBe("2026-11-20T13:00:00.000Z");
    const { id } = await world.fault({ on: "api", effect: "unavailable" });
    await world.fault({ on: "api", effect: "unavailable", operation: "getSubscription" });
    const count = async (): Promise<number> => {
      const answer = await world.fetch("/sandbox/faults");
      return ((await answer.json()) as { data: unknown[] }).data.length;
    };
    await world.removeFaults(id as string);
    expect(await count()).toBe(1);
    await world.removeFaults();
    expect(await count()).toBe(0);
    const refused = await world.removeFaults("none").catch((error: unknown) => error as SandboxRefusal);
    expectTypeOf<SandboxRefusal["status"]>().toEqualTypeOf<number>();
    expect(refused).toMatchObject({ name: "SandboxRefusal", status: 404 });
  });

  test("calls every operation by its name, and draws the key of an operation that requires one", async () => {
    await using world = await open();
    const { account } = world.company("acme");
    const { balance } = await world.call("getAccountBalance", { accountId: account });
    expect(balance.value).toBe("100000.00");
    const created = await world.call("createPayout", payout(world), { idempotencyKey: "payout-1" });
    const again = await world.call("createPayout", payout(world), { idempotencyKey: "payout-1" });
    expect(again).toEqual(created);
    const other = await world.call("createPayout", { ...payout(world), externalId: "payout-2" });
    expect(other.id).not.toBe(created.id);
    const { data } = await world.call("listAccounts", { limit: 1 }, { company: "globex" });
    expect(data).toMatchObject([{ id: world.company("globex").account }]);
    const { id } = await world.call("createSubscription", subscriptionBody() as never);
    expect(await world.call("getSubscription", { id })).toMatchObject({ status: "PENDING_AUTHORIZATION" });
  });

  test("rejects with a refusal that has the status, the error and its details", async () => {
    await using world = await open();
    const wrong = { ...payout(world), accountId: "11111111-1111-4111-8111-111111111112" };
    const refusal = await world.call("createPayout", wrong).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SandboxRefusal);
    expect(refusal).toMatchObject({ name: "SandboxRefusal", status: 403, error: "FORBIDDEN_ERROR" });
    const act = world.act("subscription.accept", { id: "11111111-1111-4111-8111-111111111112" });
    await expect(act).rejects.toMatchObject({ status: 404, error: "NOT_FOUND", details: [] });
    const order = world.call("refundOrder", { orderId: "x" } as never);
    await expect(order).rejects.toMatchObject({
      name: "SandboxRefusal",
      status: 400,
      message: expect.stringMatching(/\w/),
    });
  });

  test("issues a token for the credentials of a company, and says why it issues none", async () => {
    await using world = await open();
    const { clientId, clientSecret } = world.company("acme");
    const request = {
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: "api://app-order-prd",
    } as const;
    const { access_token } = await world.call("issueToken", request);
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await world.call("listAccounts", {}, { headers })).data).not.toEqual([]);
    await expect(world.call("issueToken", { ...request, scope: "orders" } as never)).rejects.toMatchObject({
      status: 400,
      error: "invalid_scope",
      message: expect.stringContaining('found "orders"'),
    });
  });

  test("sends webhooks to a service that has its URL only after the world is there", async () => {
    await using world = await open();
    await world.sendWebhooksTo(await openReceiver());
    const { id } = await world.call("createPayout", payout(world));
    const early = world.webhook("ORDER-PAYOUT.PAID", { object: id, timeoutMs: 50 });
    await expect(early).rejects.toThrow(
      `Failed to find a webhook ORDER-PAYOUT.PAID about ${id} within 50 ms: none was sent.`,
    );
    await world.advance("PT1M");
    const paid = await world.webhook("ORDER-PAYOUT.PAID", { object: id });
    expect([paid.status, paid.body.status]).toEqual(["delivered", "PAID"]);
    await expect(world.sendWebhooksTo("nowhere")).rejects.toBeInstanceOf(SandboxRefusal);
  });
});
