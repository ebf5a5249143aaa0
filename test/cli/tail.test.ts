import type { AddressInfo } from "node:net";
import { ACME_ACCOUNT } from "../partner.ts";
import { createSandbox } from "../../src/index.ts";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { expect, test, vi } from "vitest";
import { once } from "node:events";
import { sandbank, startSandbank } from "./command.ts";

test("tail prints calls with what they changed, webhooks and a reset, until the world ends", async () => {
  const server = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
  const { url } = await server.listen();
  const { written, ended } = startSandbank("tail", "--target", url);
  const until = (pattern: RegExp) =>
    vi.waitFor(
      () => {
        expect(written.stdout).toMatch(pattern);
      },
      { timeout: 20_000 },
    );
  await vi.waitFor(() => expect(written.stderr).toContain("Following the default world"), {
    timeout: 20_000,
  });
  const headers = { authorization: "Bearer acme-token", "idempotency-key": "payout-1" };
  const body = JSON.stringify({
    externalId: "payout-1",
    accountId: "11111111-1111-4111-8111-111111111111",
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "10.00" },
    description: "A payout",
  });
  await server.fetch("/order/v1/banking/order-payouts", { method: "POST", headers, body });
  await server.fetch("/order/v1/banking/account", { headers });
  await server.advance("PT1M");
  await until(/payout\.settle/);
  await server.reset();
  await until(/reset/);
  expect(
    written.stdout
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "ID")
      .replaceAll(/[\d.]+ ms/g, "1 ms"),
  )
    .toContain(`2026-11-20T12:00:00.000Z  call     POST /order/v1/banking/order-payouts 201  createPayout, acme, 1 ms
2026-11-20T12:00:00.000Z  change   payout of 10.00 created: PENDING  ID  (call createPayout)
`);
  expect(written.stdout).toMatch(/call {5}GET \/order\/v1\/banking\/account 404 {2}no such operation, acme/);
  expect(written.stdout).toContain("The world was reset or restored.\n");
  await server.close();
  const { code, err } = await ended;
  expect([code, err]).toEqual([1, expect.stringContaining(`Failed to follow ${url}: the connection ended.`)]);
});

test("tail prints JSON lines of a world, and says where there is none", async () => {
  await using server = await createSandbox();
  const { url } = await server.listen();
  const none = await sandbank("tail", "--target", url, "--world", "w9");
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('There is no world "w9".')]);
  const nobody = await sandbank("tail", "--target", "http://127.0.0.1:1");
  expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining("nothing answers there")]);
  const made = (await (await server.fetch("/sandbox/worlds", { method: "POST" })).json()) as {
    companies: { token: string }[];
  };
  const { written, ended } = startSandbank("tail", "--target", url, "--world", "w1", "--json");
  await vi.waitFor(() => expect(written.stderr).toContain("Following w1"), { timeout: 20_000 });
  const headers = { authorization: `Bearer ${made.companies[0]?.token}` };
  await server.fetch("/order/v1/banking/accounts", { headers });
  await vi.waitFor(() => expect(written.stdout).toContain("\n"), { timeout: 20_000 });
  expect(JSON.parse(written.stdout.split("\n")[0] ?? "")).toMatchObject({
    type: "call",
    operationId: "listAccounts",
    status: 200,
  });
  await server.fetch("/sandbox/worlds/w1", { method: "DELETE" });
  expect((await ended).code).toBe(1);
});

test("tail is one stream: calls that change nothing come before the changes after them", async () => {
  await using server = await createSandbox();
  const { url } = await server.listen();
  const { written, ended } = startSandbank("tail", "--target", url, "--json");
  await vi.waitFor(() => expect(written.stderr).toContain("Following the default world"), {
    timeout: 20_000,
  });
  const headers = { authorization: "Bearer acme-token" };
  const read = () => server.fetch(`/order/v1/banking/accounts/${crypto.randomUUID()}/balance`, { headers });
  const deposit = () => server.act("account.deposit", { id: ACME_ACCOUNT, amount: "1.00" });
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 5; count++) await read();
    await deposit();
  }
  const linesOf = () =>
    written.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; status?: number });
  await vi.waitFor(() => expect(linesOf().filter(({ type }) => type === "call")).toHaveLength(15), {
    timeout: 20_000,
  });
  await vi.waitFor(() => expect(linesOf().at(-1)?.type).toBe("happened"), { timeout: 20_000 });
  const types = linesOf()
    .map(({ type }) => type)
    .join(" ");
  expect(types).toMatch(/^(?:(?:call ){5}happened(?: happened)*(?: (?=call))?){3}$/);
  await server.close();
  await ended;
});

test("tail goes on where a stream was cut, and misses nothing", async () => {
  await using server = await createSandbox();
  const { url } = await server.listen();
  const streams: ServerResponse[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { "last-event-id": place } = request.headers;
    const headers = place === undefined ? {} : { "last-event-id": String(place) };
    const { status, body } = await fetch(`${url}${request.url}`, { headers });
    response.writeHead(status);
    for await (const chunk of body ?? []) {
      if (response.writableEnded) return;
      response.write(chunk);
      if (request.url?.endsWith("/stream") === true && !streams.includes(response)) streams.push(response);
    }
    response.end();
  };
  const proxy = createServer((request, response) => void pass(request, response)).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const target = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { written, ended } = startSandbank("tail", "--target", target, "--json");
  const acts = (): number => written.stdout.split('"cause":"act account.deposit"').length - 1;
  const deposit = () => server.act("account.deposit", { id: ACME_ACCOUNT, amount: "1.00" });
  for (let cut = 0; cut < 3; cut++) {
    await vi.waitFor(() => expect(streams).toHaveLength(cut + 1), { timeout: 20_000 });
    streams[cut]!.end();
    await deposit();
    await vi.waitFor(() => expect(acts()).toBe(cut + 1), { timeout: 20_000 });
  }
  proxy.closeAllConnections();
  proxy.close();
  expect((await ended).code).toBe(1);
});
