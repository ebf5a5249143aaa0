import { expect, test } from "vitest";
import fc from "fast-check";
import { createSubscription, openPartner } from "../../partner.ts";
import { JsonIndenter } from "../../../src/server/control/readable.ts";

test("JSON that comes in pieces is indented as JSON.stringify does it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), (value, size) => {
      const text = JSON.stringify(value);
      const indenter = new JsonIndenter();
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      expect(pieces.map((piece) => indenter.indent(piece)).join("")).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("answers are indented for clients that accept anything or text, and with ?pretty", async () => {
  await using partner = await openPartner();
  const answer = async (accept: string | undefined, path = "/sandbox/clock"): Promise<string> => {
    const headers = accept === undefined ? {} : { accept };
    return (await partner.sandbox.fetch(path, { headers })).text();
  };
  const compact = await answer("application/json");
  const indented = `${JSON.stringify(JSON.parse(compact), null, 2)}\n`;
  expect(compact).not.toContain("\n");
  expect(await answer("*/*")).toBe(indented);
  expect(await answer("text/html,*/*;q=0.8")).toBe(indented);
  expect(await answer(undefined)).toBe(compact);
  expect(await answer("application/json, text/plain, */*")).toBe(compact);
  expect(await answer("application/json", "/sandbox/clock?pretty")).toBe(indented);
  expect(await answer("*/*", "/sandbox/clock?pretty=false")).toBe(compact);
  const fetched = { headers: { accept: "*/*", "sec-fetch-mode": "cors" } };
  expect(await (await partner.sandbox.fetch("/sandbox/clock", fetched)).text()).toBe(compact);
  expect(await answer("*/*", "/sandbox/deliveries/none")).toMatch(/^\{\n {2}"error": "NOT_FOUND",\n/);
  expect(await answer("*/*", "/order/v1/banking/accounts")).not.toContain("\n");
});

test("an answer of any length is indented, and its letters stay as they are", async () => {
  await using partner = await openPartner();
  const path = "/sandbox/assumptions";
  const compact = await (await partner.sandbox.fetch(path)).text();
  const indented = await (await partner.sandbox.fetch(`${path}?pretty`)).text();
  expect(compact.length).toBeGreaterThan(65_536);
  expect(indented).toBe(`${JSON.stringify(JSON.parse(compact), null, 2)}\n`);
});

test("an act's answer for a person has no pictures; for a program it has", async () => {
  await using partner = await openPartner();
  const imageFor = async (accept: string): Promise<string> => {
    const { id } = await createSubscription(partner, { externalId: accept });
    const init = { method: "POST", headers: { accept }, body: JSON.stringify({ id }) };
    const answer = await partner.sandbox.fetch("/sandbox/acts/subscription.accept", init);
    return ((await answer.json()) as { qrcodeDetail: { imageBase64: string } }).qrcodeDetail.imageBase64;
  };
  expect(await imageFor("*/*")).toBe("(image)");
  expect((await imageFor("application/json")).length).toBeGreaterThan(1_000);
});
