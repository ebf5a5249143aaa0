import { createSandbox } from "../../src/library/sandbox.ts";
import { expect, test } from "vitest";
import { openPartner, subscriptionBody } from "../partner.ts";
import { orderBody } from "../simulator/platform/orders/asking.ts";

const ORIGIN = "https://sandbox.example.com";

test("URLs in answers begin with the given origin, in process and at a port", async () => {
  await using partner = await openPartner({ origin: ORIGIN });
  const { url } = await partner.sandbox.listen();
  const send = async (fetch: (path: string, init: RequestInit) => Promise<Response>, key: string) => {
    const headers = { authorization: "Bearer acme-token", "idempotency-key": key };
    const body = JSON.stringify(orderBody("CASHSTORE", { externalId: key }));
    const order = await fetch("/order/v2/transparent", { method: "PUT", headers, body });
    const { id } = (await order.clone().json()) as { id: string };
    const shown = await fetch(`/sandbox/resources/orders/${id}`, { headers });
    return [await order.text(), shown.headers.get("link") ?? ""].join(" ");
  };
  const inProcess = await send((path, init) => partner.sandbox.fetch(path, init), "one");
  const atPort = await send((path, init) => fetch(url + path, init), "two");
  for (const text of [inProcess, atPort]) {
    expect(text).toContain(`"${ORIGIN}/pay/`);
    expect(text).toContain(`<${ORIGIN}/pay/`);
    expect(text).not.toMatch(/http:\/\/(?:127|localhost)/);
  }
  expect(
    (await partner.ask("POST", "/order/v1/banking/subscriptions", { body: subscriptionBody() })).status,
  ).toBe(201);
});

test("the documents and pages name the given origin, at a port too", async () => {
  await using partner = await openPartner({ origin: ORIGIN });
  const { url } = await partner.sandbox.listen();
  for (const path of ["/openapi.json", "/sandbox/openapi.json", "/docs", "/llms.txt"]) {
    for (const text of [
      await (await partner.sandbox.fetch(path)).text(),
      await (await fetch(url + path)).text(),
    ]) {
      expect([path, text.includes(ORIGIN)]).toEqual([path, true]);
      expect([path, text.includes(url)]).toEqual([path, false]);
    }
  }
});

test("an origin with a prefix is refused with the reason", async () => {
  await expect(createSandbox({ origin: "https://sandbox.example.com/sb" })).rejects.toThrow(
    "because the paths of a sandbox begin at /. Give it a host of its own",
  );
});

test.each(["https://sandbox.example.com/path", "sandbox.example.com", "ftp://sandbox.example.com"])(
  "the origin %s is refused",
  async (origin) => {
    await expect(createSandbox({ origin })).rejects.toThrow(/The origin must be an .*URL/);
  },
);
