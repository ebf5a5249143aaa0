import { cardNumbers } from "./card-numbers.ts";
import { createSubscription, openPartner, type Partner, payoutBody } from "../../partner.ts";
import { definition, exampleOf } from "../../../src/simulator/api/schemas.ts";
import { expect, test } from "vitest";
import { isRecord } from "../../../src/simulator/engine/json.ts";
import { orderBody } from "../platform/orders/asking.ts";
import { operations } from "../../../src/simulator/api/operations.ts";
import { replayed } from "./replayed.ts";
import * as fc from "fast-check";

/** The fields of cards and secrets, and what only decides how a body is read. */
const NAMED = /\.(?:number|securityCode|cardToken|threeDsToken|client_secret|grant_type)$/;

/** The places of all texts in a value, such as `.order.externalId`. */
function placesOf(value: unknown, place = ""): string[] {
  if (typeof value === "string") return [place];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => placesOf(inner, `${place}.${name}`));
}

function withText(value: unknown, place: string, text: string): unknown {
  const [name = "", ...rest] = place.slice(1).split(".");
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  copy[name] = rest.length === 0 ? text : withText(copy[name], `.${rest.join(".")}`, text);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

/** Calls every operation once for each text in its body, its path, its query and its headers: that text is `text`. */
async function callWith(partner: Partner, text: string, paths: Readonly<Record<string, string>>) {
  const answers: string[] = [];
  const sent: string[] = [];
  let keys = 0;
  for (const { method, path, request, parameters, isForm, operationId } of Object.values(operations)) {
    const body = request && exampleOf(definition(request).schema);
    const ask = async (changed: { body?: unknown; path?: string; headers?: Record<string, string> }) => {
      const asked = { body, path, ...changed };
      const filled = asked.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => paths[name] ?? text);
      const written =
        asked.body === undefined
          ? undefined
          : isForm
            ? String(new URLSearchParams(asked.body as Record<string, string>))
            : JSON.stringify(asked.body);
      const type = isForm ? { "content-type": "application/x-www-form-urlencoded" } : {};
      const { status, body: answer } = await partner.ask(method, filled, {
        key: `key-${++keys}`,
        body: written,
        headers: { ...type, ...changed.headers },
      });
      answers.push(`${operationId} ${status} ${JSON.stringify(answer)}`);
      sent.push(written ?? "");
    };
    for (const place of placesOf(body).filter((one) => !NAMED.test(one)))
      await ask({ body: withText(body, place, text) });
    if (isRecord(body)) await ask({ body: { ...body, colour: text, [text]: { note: `a ${text} b` } } });
    await ask({ headers: { "idempotency-key": text, "x-note": text } });
    await ask({ path: `${path}?externalId=${text}&cursor=${text}` });
    for (const name of Object.keys(parameters)) await ask({ path: path.replace(`{${name}}`, text) });
  }
  return { answers, sent };
}

async function sessionWith(text: string) {
  await using partner = await openPartner({ assumptions: { "documents.validate": false } });
  const subscription = await createSubscription(partner, { externalId: `s ${text}` });
  await partner.act("subscription.accept", { id: subscription.id });
  const { body: order } = await partner.ask("PUT", "/order/v2/transparent", {
    key: text,
    body: orderBody("SPEI", { externalId: text, description: text }),
  });
  await partner.act("order.pay", { id: order["id"] });
  const ids = { id: subscription.id, orderId: String(order["id"]) };
  const called = await callWith(partner, text, ids);
  await partner.advance("PT1H");
  const read = async (path: string) => (await partner.ask("GET", path)).body;
  const log = (await read("/sandbox/requests"))["data"] as { requestBody: string | null }[];
  const recording = await partner.sandbox.recording();
  const shown = {
    answers: called.answers,
    webhooks: (await partner.sandbox.deliveries()).map(({ body }) => body),
    resources: await Promise.all(
      ["subscriptions", "orders", "payouts"].map((name) => read(`/sandbox/resources/${name}`)),
    ),
    log: log.map(({ requestBody }) => requestBody ?? ""),
    recording: recording.replaceAll(/[0-9a-f]{64}/g, ""),
  };
  return { sent: called.sent, shown, isReplayed: (await replayed(recording)) === partner.sandbox.digest() };
}

test("a number that looks like a card's is like any other number in every field of every operation", async () => {
  await fc.assert(
    fc.asyncProperty(cardNumbers, async (number) => {
      // The same number with another check digit looks like no card's.
      const other = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);
      const [one, two] = await Promise.all([sessionWith(number), sessionWith(other)]);
      const same = JSON.stringify(two.shown, null, 1).replaceAll(other, number);
      expect(JSON.stringify(one.shown, null, 1)).toBe(same);
      expect([one.isReplayed, two.isReplayed]).toEqual([true, true]);
      const open = one.sent.filter((body) => !/secret|card|threeDsToken/.test(body));
      for (const body of open) expect(one.shown.log).toContain(body);
    }),
    { numRuns: 3 },
  );
});

test("two keys and two ids that differ in the middle only are two", async () => {
  const inputs = ["641235123756994321", "641235123857064321", "5412751234123452", "356938035643809"];
  await using partner = await openPartner();
  const payouts = [];
  for (const id of inputs) {
    const asked = { key: id, body: payoutBody({ externalId: id, description: `IMEI ${id}` }) };
    payouts.push(await partner.ask("POST", "/order/v1/banking/order-payouts", asked));
    await createSubscription(partner, { externalId: id });
  }
  expect(payouts.map(({ status }) => status)).toEqual(inputs.map(() => 201));
  expect(payouts.map(({ body }) => body["externalId"])).toEqual(inputs);
  expect(new Set(payouts.map(({ body }) => body["id"])).size).toBe(inputs.length);
  const archive = await (await partner.sandbox.fetch("/sandbox/requests?format=har")).text();
  for (const id of inputs) expect(archive).toContain(id);
});

/** Static codes with a right check sum. Together with it the number of the order looks like a card's. */
const CODES = [
  "00020126360014br.gov.bcb.pix0114ok@pix.example5204000053039865802BR5907PADARIA6009SAO PAULO6208050410066304E6B5",
  "00020126360014br.gov.bcb.pix0114ok@pix.example5204000053039865802BR5907PADARIA6009SAO PAULO62050501863040818",
  "00020126360014br.gov.bcb.pix0114ok@pix.example5204000053039865802BR5907PADARIA6009SAO PAULO6207050311563046C9F",
  "00020126360014br.gov.bcb.pix0114ok@pix.example5204000053039865802BR5907PADARIA6009SAO PAULO6211050710000006304B264",
  "00020126360014br.gov.bcb.pix0114ok@pix.example5204000053039865802BR5907PADARIA6009SAO PAULO62080504100763044CE4",
];

test.each(CODES)("the code %s is paid", async (qrcodeData) => {
  await using partner = await openPartner();
  const body = payoutBody({ paymentData: { qrcodeData } });
  const { status } = await partner.ask("POST", "/order/v1/banking/order-payouts", { key: "key-1", body });
  expect(status).toBe(201);
});
