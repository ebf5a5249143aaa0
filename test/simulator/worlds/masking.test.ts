import { confidentialAs } from "../../../src/simulator/platform/confidential.ts";
import { type Asked, createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cardNumbers } from "./card-numbers.ts";
import { replayed } from "./replayed.ts";
import { card, orderBody } from "../platform/orders/asking.ts";
import { jsonEscape } from "../../../src/simulator/engine/json.ts";
import { tmpdir } from "node:os";
import * as fc from "fast-check";

/** A request whose body, path or headers carry a card number. */
interface Carrier extends Asked {
  readonly method: string;
  readonly path: string;
}

/** The number as a text may have it: with blanks or dashes, and something before and after it. */
function written(number: string): fc.Arbitrary<string> {
  const divided = fc
    .tuple(fc.constantFrom("", " ", "-", "  ", "\u00a0", "–"), fc.integer({ min: 2, max: 5 }))
    .map(([sign, size]) => number.replaceAll(new RegExp(`\\d{${size}}(?=\\d)`, "g"), `$&${sign}`));
  const before = fc.constantFrom("", "card ", "x", "a } b { c ", '"quoted" ', "1/2: ", "\n", "ção ");
  const after = fc.constantFrom("", " 12/30 123", "x", " } {", ' "quoted"', "\n", "ção");
  return fc.tuple(before, divided, after).map(([before, text, after]) => before + text + after);
}

/** How a name of a card's number may be written. */
const NAMES = ["card", "pan", "cardNumber", "creditCard", "credit_card", "CARD-NO", "ccNumber"];

/** A value of a field of a card: the number as a text, also with escapes, as a number, or in a list. */
function cardValue(number: string): fc.Arbitrary<string> {
  const divided = number.replaceAll(/\d{4}(?=\d)/g, "$& ");
  const escaped = fc
    .array(fc.nat(number.length), { maxLength: 6 })
    .map((places) =>
      Array.from(number, (sign, at) => (places.includes(at) ? jsonEscape(sign) : sign)).join(""),
    );
  return fc.oneof(
    fc.oneof(fc.constantFrom(number, divided), escaped).map((text) => `"${text}"`),
    fc.constantFrom(number, `["${number}"]`, `{"number": "${number}"}`),
  );
}

/** JSON with the number in a field of a card at any depth: twice, next to others, or in a list. */
function jsonWith(number: string): fc.Arbitrary<string> {
  const named = fc
    .tuple(fc.constantFrom(...NAMES), cardValue(number))
    .map(
      ([name, value]) =>
        `{"expiration":{"month":12},"${name}":${value},"${name}":${value},"securityCode":"123"}`,
    );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      named,
      tie("json").map((inner) => `{"x": ${inner}}`),
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
    key.map((id) => ({
      ...ORDERS,
      key: id,
      body: orderBody("CREDIT_CARD", {}, { paymentDetails: { card: card(number) } }),
    })),
    // Broken JSON and plain text have no fields: there the number is found by its look.
    fc
      .tuple(text, key)
      .map(([value, id]) => ({ ...ORDERS, key: id, body: `{"note": ${JSON.stringify(value)}` })),
    fc.tuple(text, key).map(([value, id]) => ({ ...ORDERS, key: id, body: `pay ${value}` })),
    fc.constantFrom("card", "cardNumber", "pan").map((name) => ({
      method: "POST",
      path: "/oauth2/v2.0/token",
      token: null,
      body: new URLSearchParams({ grant_type: "x", [name]: number }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    })),
    fc.constant({
      method: "POST",
      path: "/order/v1/cards",
      body: `--b\r\nContent-Disposition: form-data; name="pan"\r\n\r\n${number}\r\n--b--\r\n`,
      headers: { "content-type": "multipart/form-data; boundary=b" },
    }),
    fc.constant({ method: "GET", path: `/order/v1/banking/accounts?card=${number}` }),
    fc.constant({ method: "GET", path: "/order/v1/banking/accounts", headers: { "x-card": number } }),
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

test("a card number in a field of a card, or in a body without fields, is in no journal, log, recording, data file or HTTP archive", async () => {
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
    { numRuns: 25 },
  );
});

test("requests with one key and other cards, codes or tokens are different ones, also in a recording", async () => {
  await using partner = await openPartner();
  const number = "4539578763621486";
  const paymentDetails = [
    { card: card(number) },
    { card: card(number, { securityCode: "456" }) },
    { card: card("4539570000051486") },
    { cardToken: "tok_1" },
    { cardToken: "tok_2" },
    { threeDsToken: "nonce 1", card: card(number) },
    { threeDsToken: "nonce 2", card: card(number) },
  ];
  for (const [key, details] of paymentDetails.entries())
    for (const [index, other] of paymentDetails.entries()) {
      const body = (sent: object) =>
        orderBody("CREDIT_CARD", { externalId: `order-${key}-${index}` }, { paymentDetails: sent });
      const first = await partner.ask("PUT", "/order/v2/transparent", {
        key: `key-${key}-${index}`,
        body: body(details),
      });
      const again = await partner.ask("PUT", "/order/v2/transparent", {
        key: `key-${key}-${index}`,
        body: body(other),
      });
      expect([first.status, again.status]).toEqual([200, key === index ? 200 : 400]);
    }
  const recording = await partner.sandbox.recording();
  for (const hidden of [number, "tok_1", "nonce", '"456"']) expect(recording).not.toContain(hidden);
  expect(await replayed(recording)).toBe(partner.sandbox.digest());
});

test.each(["threeDsToken", "cardToken"])(
  "%s may have 4,096 characters, also in a recording",
  async (name) => {
    await using partner = await openPartner();
    const answers = [];
    for (const length of [4_096, 4_097]) {
      const body = orderBody(
        "CREDIT_CARD",
        { externalId: `order-${length}` },
        { paymentDetails: { [name]: "é".repeat(length) } },
      );
      const { status, body: answer } = await partner.ask("PUT", "/order/v2/transparent", {
        key: `key-${length}`,
        body,
      });
      answers.push(status, JSON.stringify(answer));
    }
    const tooLong = expect.stringContaining("must have at most 4096 characters") as string;
    expect(answers).toEqual([200, expect.any(String), 400, tooLong]);
    expect(await replayed(await partner.sandbox.recording())).toBe(partner.sandbox.digest());
  },
);

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
