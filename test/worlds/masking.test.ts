import { cardCheckSum } from "../../src/platform/orders/card-number.ts";
import { confidentialAs } from "../../src/platform/confidential.ts";
import { type Asked, createSubscription, openPartner } from "../partner.ts";
import { expect, test } from "vitest";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { isClabe } from "../../src/countries/mexico/clabe.ts";
import { isCnpj } from "../../src/countries/brazil/documents.ts";
import { join } from "node:path";
import { card, CARDS, makeOrder, orderBody } from "../platform/orders/asking.ts";
import { jsonEscape } from "../../src/engine/json.ts";
import { tmpdir } from "node:os";
import { localWorlds } from "../../src/tools/scenarios/world.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parseScenario } from "../../src/tools/scenarios/parse.ts";
import { runScenario } from "../../src/tools/scenarios/run.ts";
import { scenarioContext } from "../../src/tools/scenarios/context.ts";
import * as fc from "fast-check";

/** A request whose body, path or headers carry a card number. */
interface Carrier extends Asked {
  readonly method: string;
  readonly path: string;
}

/** Numbers of the brands, with their check digit; the last digits before it are not those of a masked number. */
const cardNumbers = fc
  .constantFrom(
    ["4", 13],
    ["4", 16],
    ["4", 19],
    ["51", 16],
    ["2221", 16],
    ["37", 15],
    ["36", 14],
    ["6011", 16],
    ["62", 18],
    ["50", 17],
  )
  .chain(([prefix, length]) =>
    fc
      .string({
        unit: fc.constantFrom(...Array.from("123456789")),
        minLength: length - prefix.length - 1,
        maxLength: length - prefix.length - 1,
      })
      .map((rest) => {
        const base = `${prefix}${rest}`;
        return base + ((10 - cardCheckSum(`${base}0`)) % 10);
      }),
  )
  .filter((number) => !isCnpj(number) && !isClabe(number));

/** The number as a text may have it: with blanks or dashes, and something before and after it. */
function written(number: string): fc.Arbitrary<string> {
  const divided = fc
    .tuple(fc.constantFrom("", " ", "-", "  ", "\u00a0", "–"), fc.integer({ min: 2, max: 5 }))
    .map(([sign, size]) => number.replaceAll(new RegExp(`\\d{${size}}(?=\\d)`, "g"), `$&${sign}`));
  const before = fc.constantFrom("", "card ", "x", "a } b { c ", '"quoted" ', "1/2: ", "\n", "ção ");
  const after = fc.constantFrom("", " 12/30 123", "x", " } {", ' "quoted"', "\n", "ção");
  return fc.tuple(before, divided, after).map(([before, text, after]) => before + text + after);
}

const NAMES = ["number", "card", "pan", "cardNumber", "creditCard", "note", "value", "x", "holderName"];

/** JSON that has the number somewhere: in fields and lists, next to others, twice, escaped, as a number or a name. */
function jsonWith(number: string): fc.Arbitrary<string> {
  const value = fc.oneof(
    written(number).chain((text) =>
      fc
        .array(fc.nat(text.length), { maxLength: 6 })
        .map(
          (places) =>
            `"${Array.from(text, (sign, at) => (places.includes(at) ? jsonEscape(sign) : JSON.stringify(sign).slice(1, -1))).join("")}"`,
        ),
    ),
    fc.constant(number),
    fc.constant(`{${JSON.stringify(number)}: true}`),
    fc.constant(JSON.stringify(JSON.stringify({ pan: number }))),
  );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      value,
      fc.tuple(fc.constantFrom(...NAMES), tie("json")).map(([name, inner]) => `{"${name}": ${inner}}`),
      fc
        .tuple(fc.constantFrom(...NAMES), tie("json"))
        .map(([name, inner]) => `{"${name}":${inner},"${name}":1}`),
      fc
        .tuple(fc.constantFrom(...NAMES), tie("json"))
        .map(([name, inner]) => `{"expiration":{"month":12},"${name}":${inner},"securityCode":"123"}`),
      tie("json").map((inner) => `[1, "2", ${inner}]`),
    ),
  }));
  return json;
}

const ORDERS = { method: "PUT", path: "/order/v2/transparent" };

function carriers(number: string): fc.Arbitrary<Carrier> {
  const json = jsonWith(number);
  const text = written(number);
  const key = fc.uuid();
  const order = (field: string, inner: string): string =>
    JSON.stringify(orderBody("SPEI")).replace(/^\{/, `{"${field}":${inner},`);
  return fc.oneof(
    fc.tuple(json, key).map(([inner, id]) => ({ ...ORDERS, key: id, body: order("paymentDetails", inner) })),
    fc.tuple(json, key).map(([inner, id]) => ({ ...ORDERS, key: id, body: order("ignored", inner) })),
    fc.tuple(json, key).map(([inner, id]) => ({ ...ORDERS, key: id, body: `{"a": ${inner}` })),
    // What an order keeps, and what its events and answers repeat.
    fc.tuple(text, key, fc.constantFrom("externalId", "description")).map(([value, id, name]) => ({
      ...ORDERS,
      key: id,
      body: orderBody("SPEI", { [name]: value }),
    })),
    fc.tuple(text, key).map(([name, id]) => ({
      ...ORDERS,
      key: id,
      body: orderBody(
        "SPEI",
        {},
        { customer: { name, document: { type: "CURP", number: "SABC560626MDFLRN01" } } },
      ),
    })),
    fc.constant({ ...ORDERS, key: number, body: orderBody("SPEI") }),
    text.map((value) => ({
      method: "POST",
      path: "/oauth2/v2.0/token",
      token: null,
      body: new URLSearchParams({ grant_type: value, card: value }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    })),
    text.map((value) => ({
      method: "POST",
      path: "/order/v1/cards",
      body: `--b\r\nContent-Disposition: form-data; name="pan"\r\n\r\n${value}\r\n--b--\r\n`,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    })),
    text.map((value) => ({
      method: "GET",
      path: `/order/v1/banking/accounts?${new URLSearchParams({ note: value, limit: value }).toString()}`,
    })),
    text.map((value) => ({ method: "GET", path: `/cards/${encodeURIComponent(value)}` })),
    fc.constant({
      method: "GET",
      path: "/order/v1/banking/accounts",
      headers: { "x-card": number, "x-request-id": number },
    }),
  );
}

/** All digits of a text, escaped ones too: nothing else divides those of a number. */
function digitsIn(text: string): string {
  return text
    .replaceAll(/\\*u00(3\d)|%(3\d)/g, (_, one: string, other: string) =>
      String.fromCharCode(Number.parseInt(one ?? other, 16)),
    )
    .replaceAll(/%[0-9A-F]{2}|\\u[0-9a-f]{4}/g, "")
    .replaceAll(/\D/g, "");
}

async function replayed(recording: string): Promise<string> {
  const { scenarios, mistakes } = parseScenario(recording, "recording.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const result = await runScenario(scenarios[0]!, { openWorld: localWorlds(openSandbox) });
  expect(result.failure).toBeUndefined();
  return result.digest ?? "";
}

test("a card number in any part of a request is in no journal, log, recording, data file or HTTP archive", async () => {
  await fc.assert(
    fc.asyncProperty(
      cardNumbers.chain((number) =>
        fc.tuple(fc.constant(number), fc.array(carriers(number), { minLength: 1, maxLength: 12 })),
      ),
      async ([number, requests]) => {
        const folder = mkdtempSync(join(tmpdir(), "masking-"));
        const partner = await openPartner({ data: join(folder, "data") });
        for (const { method, path, ...asked } of requests) await partner.ask(method, path, asked);
        const { sandbox } = partner;
        const text = async (path: string): Promise<string> => (await sandbox.fetch(path)).text();
        const kept = {
          journal: await text("/sandbox/timeline"),
          deliveries: await text("/sandbox/deliveries"),
          log: await text("/sandbox/requests"),
          archive: await text("/sandbox/requests?format=har"),
          recording: await sandbox.recording(),
        };
        const digest = sandbox.digest();
        await sandbox.close();
        const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
        for (const [place, one] of Object.entries({ ...kept, files: files.join("") }))
          expect(digitsIn(one).includes(number), `${place} has ${number}: ${one}`).toBe(false);
        expect(await replayed(kept.recording)).toBe(digest);
      },
    ),
    { numRuns: 40 },
  );
});

test("numbers that are no card stay as they are: documents, CLABEs, ids, instants and dates", async () => {
  await using partner = await openPartner();
  const same = [
    "12345678000195",
    "646180157000000004",
    "1763888125000",
    "2026112300000123",
    "+5511987654321",
  ];
  const ids = ["45395787-6362-1486-8123-000000000000", "34191790010104351004791020150008596610000012345"];
  for (const externalId of [...same, ...ids]) {
    const { externalId: answered } = await makeOrder(partner, orderBody("SPEI", { externalId }));
    expect(answered).toBe(externalId);
  }
});

test("a card whose masked number would be that of a test card is masked in another way", async () => {
  await using partner = await openPartner();
  // The first six and the last four digits are those of a test card that is declined.
  const base = "400000123456";
  const digit = Array.from("0123456789").find((one) => cardCheckSum(`${base.slice(0, -1)}${one}0002`) === 0);
  const number = `${base.slice(0, -1)}${digit}0002`;
  await makeOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails: { card: card(number) } }));
  const recording = await partner.sandbox.recording();
  expect(recording).not.toContain(CARDS.declined);
  expect(await replayed(recording)).toBe(partner.sandbox.digest());
});

const SECRET_NAMES = [
  "api-key",
  "x-api-key",
  "x-auth-token",
  "x-amz-security-token",
  "Client_Secret",
  "client_assertion",
  "refresh_token",
  "cookie",
  "Proxy-Authorization",
  "ocp-apim-subscription-key",
];

test.each(SECRET_NAMES)(
  "%s is a secret in a header, a query, a form, a multipart form and JSON",
  async (name) => {
    const secret = "5f-sEcret/of~production";
    await using partner = await openPartner();
    const unknown = { method: "POST", path: "/order/v1/unknown" };
    const requests: Carrier[] = [
      { ...unknown, headers: { [name]: secret } },
      { ...unknown, path: `/order/v1/unknown?${new URLSearchParams({ [name]: secret }).toString()}` },
      { ...unknown, body: new URLSearchParams({ a: "b", [name]: secret }).toString() },
      { ...unknown, body: JSON.stringify({ a: [{ [name]: secret }], [name]: [secret, { deep: secret }] }) },
      { ...unknown, body: JSON.stringify({ text: JSON.stringify({ [name]: secret }) }) },
      {
        ...unknown,
        body: `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${secret}\r\n--b--\r\n`,
      },
    ];
    for (const { method, path, ...asked } of requests) await partner.ask(method, path, asked);
    const log = await (await partner.sandbox.fetch("/sandbox/requests")).text();
    const archive = await (await partner.sandbox.fetch("/sandbox/requests?format=har")).text();
    expect(JSON.parse(log).data).toHaveLength(requests.length);
    for (const text of [log, archive]) {
      expect(decodeURIComponent(text.replaceAll(/%(?![0-9A-F]{2})/g, ""))).not.toContain(secret);
      expect(text).not.toContain("sEcret");
    }
  },
);

test.each(["Digest username=acme, response=5f3c", "ApiKey 5f3c-of-production", "5f3c-of-production"])(
  "the credentials of the header authorization are masked: %s",
  async (authorization) => {
    await using partner = await openPartner();
    await createSubscription(partner);
    const path = "/order/v1/banking/accounts";
    const { status } = await partner.ask("GET", path, { token: null, headers: { authorization } });
    expect(status).toBe(401);
    expect(await partner.sandbox.recording()).not.toContain("5f3c");
    expect(await (await partner.sandbox.fetch("/sandbox/requests")).text()).not.toContain("5f3c");
    expect(await replayed(await partner.sandbox.recording())).toBe(partner.sandbox.digest());
  },
);

test("names of fields with secrets and codes are known however they are written", () => {
  const names = [
    "clientSecret",
    "CLIENT-SECRET",
    "card_cvv",
    "CVC2",
    "codigo_de_segurança",
    "PAN",
    "número_cartão",
  ];
  expect(names.map(confidentialAs)).toEqual(["secret", "secret", "code", "code", "code", "card", "card"]);
  const open = [
    "idempotency-key",
    "pixKey",
    "code",
    "postalCode",
    "span",
    "token_type",
    "key",
    "company",
    "",
  ];
  expect(open.map(confidentialAs)).toEqual(open.map(() => undefined));
});
