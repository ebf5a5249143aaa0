import { ACME_ACCOUNT, detail, openPartner } from "../../../partner.ts";
import {
  askForOrder,
  BRAZIL,
  card,
  CARDS,
  JUANA,
  makeOrder,
  MARIA,
  MEXICO,
  onLedger,
  orderBody,
  orderNow,
} from "./asking.ts";
import { boletoLine } from "../../../../src/simulator/countries/brazil/boleto.ts";
import { decodeBrCode } from "../../../../src/simulator/countries/brazil/br-code.ts";
import { expect, test } from "vitest";
import { clabe } from "../../../../src/simulator/countries/mexico/clabe.ts";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const OF_EVERY_METHOD = ["id", "externalId", "status", "fees", "finalAmount", "description"];
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  PIX: ["qrcodeImageUrl", "qrcodeImageBase64", "qrcodeData", "qrcodeExpiresAt"],
  EXCHANGE_PAY: ["deeplink", "universalUrl"],
  DEPOSIT: ["checkoutUrl", "token"],
  BOLETO: ["checkoutUrl", "token"],
  CREDIT_CARD: ["threeDs"],
  SPEI: ["bankAccount"],
  CASHSTORE: ["checkoutUrl", "token"],
  CASHSTORE_WALLET: ["checkoutUrl", "token"],
  NETWORK_PAYMENT: ["checkoutUrl", "token"],
};

for (const version of ["v2", "v3"] as const) {
  for (const [method, group] of Object.entries(GROUPS)) {
    test(`${method} on ${version} answers with the response groups that belong to it and nothing else`, async () => {
      await using partner = await openPartner();
      const { status, body } = await askForOrder(partner, orderBody(method, { description: "Two coffees" }), {
        version,
      });
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual([...OF_EVERY_METHOD, ...group].sort());
      expect(shapeProblems("TransparentOrder", body)).toEqual([]);
      const currency = BRAZIL.includes(method) ? "BRL" : "MXN";
      expect(body).toMatchObject({
        externalId: "shop-1",
        status: "INITIAL",
        description: "Two coffees",
        fees: { fixed: "0.00", variable: "0.00", additional: "0.00" },
        finalAmount: { currency, value: "150.00" },
      });
      expect(await orderNow(partner, body["id"])).toMatchObject({ status: "INITIAL", paymentMethod: method });
    });
  }
}

for (const method of [...BRAZIL, ...MEXICO]) {
  test(`${method} accepts only the currency and the documents of its country`, async () => {
    await using partner = await openPartner();
    const isMexican = MEXICO.includes(method);
    const currency = isMexican ? "BRL" : "MXN";
    const wrong = orderBody(
      method,
      { amount: { currency, value: 10 } },
      { customer: isMexican ? MARIA : JUANA },
    );
    const refused = await askForOrder(partner, wrong);
    expect(refused.status).toBe(400);
    expect(detail(refused, "order.amount.currency")["description"]).toContain(isMexican ? "MXN" : "BRL");
    expect(detail(refused, "customer.document.type")["issue"]).toBe("INVALID");
  });
}

test("all wrong fields of a request are reported together", async () => {
  await using partner = await openPartner();
  const body = orderBody(
    "SPEI",
    {
      amount: { currency: "MXN", value: "10.555" },
      pixKey: "ok@pix.example",
      expiresIn: 60,
      installments: 3,
    },
    { customer: { ...JUANA, document: { type: "CURP", number: "SABC56" }, birthDate: "2026-11-21" } },
  );
  const refused = await askForOrder(partner, body);
  expect(refused.status).toBe(400);
  expect(refused.body["error"]).toBe("INVALID_REQUEST");
  const fields = (refused.body["details"] as { field: string; issue: string }[]).map(
    ({ field, issue }) => `${field} ${issue}`,
  );
  expect(fields.sort()).toEqual([
    "customer.birthDate INVALID",
    "customer.document.number INVALID",
    "order.amount.value INVALID",
    "order.expiresIn NOT_ALLOWED",
    "order.installments NOT_ALLOWED",
    "order.pixKey NOT_ALLOWED",
  ]);
});

test("a body that is no object is refused", async () => {
  await using partner = await openPartner();
  for (const body of ['"order"', "[]", "{", undefined]) {
    const refused = await askForOrder(partner, body);
    expect(refused.status).toBe(400);
    expect(detail(refused, "body")).toBeDefined();
  }
});

for (const value of [5, "x", null, [], true]) {
  test(`${JSON.stringify(value)} in place of any part of the request is refused and the field named`, async () => {
    await using partner = await openPartner();
    for (const field of ["customer", "order", "paymentDetails"]) {
      const refused = await askForOrder(partner, { ...orderBody("CREDIT_CARD"), [field]: value });
      expect(refused.status).toBe(400);
      expect(detail(refused, field)).toBeDefined();
    }
    for (const field of [
      "externalId",
      "paymentMethod",
      "amount",
      "bankSlug",
      "expiresIn",
      "notificationUrl",
    ]) {
      const wrong = value === "x" || value === 5 ? [] : value;
      const refused = await askForOrder(partner, orderBody("PIX", { [field]: wrong }));
      expect(refused.status).toBe(400);
      expect(detail(refused, `order.${field}`)).toBeDefined();
    }
  });
}

test("the idempotency key is required, at most 64 characters, and replays the first answer", async () => {
  await using partner = await openPartner();
  const body = orderBody("PIX");
  const keyless = await partner.ask("PUT", "/order/v2/transparent", { body });
  expect(detail(keyless, "idempotency-key")["issue"]).toBe("REQUIRED");
  const long = await askForOrder(partner, body, { key: "k".repeat(65) });
  expect(detail(long, "idempotency-key")["issue"]).toBe("INVALID");
  const first = await askForOrder(partner, body, { key: "k".repeat(64) });
  const again = await askForOrder(partner, body, { key: "k".repeat(64) });
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  const other = await askForOrder(partner, orderBody("PIX", { description: "other" }), {
    key: "k".repeat(64),
  });
  expect(detail(other, "idempotency-key")["issue"]).toBe("REUSED");
  const { body: all } = await partner.ask("GET", "/sandbox/resources/orders");
  expect(all["data"]).toHaveLength(1);
});

test("an external id may be used again, unless the world assumes that it is unique", async () => {
  await using partner = await openPartner();
  await makeOrder(partner, orderBody("PIX"));
  await makeOrder(partner, orderBody("PIX"));
  await using strict = await openPartner({ assumptions: { "order.external-id-unique": true } });
  await makeOrder(strict, orderBody("PIX"));
  const refused = await askForOrder(strict, orderBody("PIX"));
  expect(detail(refused, "order.externalId")["issue"]).toBe("ALREADY_EXISTS");
  expect((await askForOrder(strict, orderBody("PIX"), { token: "globex-token" })).status).toBe(200);
});

test("a PIX QR code expires after 86400 seconds unless the request sets another time", async () => {
  await using partner = await openPartner();
  const day = await makeOrder(partner, orderBody("PIX"));
  expect(day["qrcodeExpiresAt"]).toBe("2026-11-21T12:00:00.000Z");
  const minute = await makeOrder(partner, orderBody("PIX", { expiresIn: 60 }));
  expect(minute["qrcodeExpiresAt"]).toBe("2026-11-20T12:01:00.000Z");
  for (const expiresIn of [0, -1, 1.5, "60", 31_536_001]) {
    const refused = await askForOrder(partner, orderBody("PIX", { expiresIn }));
    expect(detail(refused, "order.expiresIn")["issue"]).toBe("INVALID");
  }
});

test("the QR code of a PIX order contains its amount and points to the sandbox", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX", { amount: { currency: "BRL", value: 10.5 } }));
  expect(decodeBrCode(order["qrcodeData"] as string)).toMatchObject({
    kind: "dynamic",
    amountMinor: 1050,
    merchantName: "ACME ASSINATURAS LTDA",
  });
  expect(order["qrcodeImageUrl"]).toBe(`http://localhost/pay/default/${order["id"]}/qrcode.png`);
});

test("the amount may be omitted on v3 for PIX only; the payer then chooses it", async () => {
  await using partner = await openPartner();
  const open = orderBody("PIX", { amount: undefined });
  const onV2 = await askForOrder(partner, open);
  expect(detail(onV2, "order.amount")["issue"]).toBe("REQUIRED");
  const order = await makeOrder(partner, open, "v3");
  expect(order).not.toHaveProperty("finalAmount");
  expect(decodeBrCode(order["qrcodeData"] as string)).not.toHaveProperty("amountMinor");
  for (const method of [...BRAZIL, ...MEXICO].filter((one) => one !== "PIX")) {
    const refused = await askForOrder(partner, orderBody(method, { amount: undefined }), { version: "v3" });
    expect(detail(refused, "order.amount")["issue"]).toBe("REQUIRED");
  }
});

test("without a PIX key the account's random key is used", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX"));
  const { pixKey } = await orderNow(partner, order["id"]);
  expect(pixKey).toMatch(/^[0-9a-f-]{36}$/);
  const named = await makeOrder(partner, orderBody("PIX", { pixKey: String(pixKey).toUpperCase() }));
  expect((await orderNow(partner, named["id"]))["pixKey"]).toBe(pixKey);
});

test("a PIX key that is not the receiving account's is refused: of another account, unknown, of another company", async () => {
  await using partner = await openPartner();
  const foreign = await askForOrder(partner, orderBody("PIX"), { token: "globex-token" });
  const globex = (await orderNow(partner, foreign.body["id"]))["pixKey"];
  for (const pixKey of ["ok@pix.example", "nobody@pix.example", "no key", globex]) {
    const refused = await askForOrder(partner, orderBody("PIX", { pixKey }));
    expect(refused.status).toBe(400);
    expect(detail(refused, "order.pixKey")["description"]).toContain(ACME_ACCOUNT);
  }
});

test("only PIX by PIX_PARTNER needs no customer; the customer is then the payer", async () => {
  await using partner = await openPartner();
  for (const body of [
    orderBody("PIX", {}, { customer: undefined }),
    orderBody("PIX", { partner: "OTHER" }, { customer: undefined }),
    orderBody("DEPOSIT", { partner: "PIX_PARTNER" }, { customer: undefined }),
  ]) {
    expect(detail(await askForOrder(partner, body), "customer")["issue"]).toBe("REQUIRED");
  }
  const order = await makeOrder(
    partner,
    orderBody("PIX", { partner: "PIX_PARTNER" }, { customer: undefined }),
  );
  expect(await orderNow(partner, order["id"])).not.toHaveProperty("customer");
  const paid = await partner.act("order.pay", { id: order["id"], payer: MARIA });
  expect(paid).toMatchObject({ status: "PAID", customer: MARIA, payer: MARIA });
});

test.each([
  ["CPF", "52998224726"],
  ["CPF", "529.982.247-25"],
  ["CNPJ", "11222333000180"],
  ["RG", "123"],
])("a customer's document %s %s is refused", async (type, number) => {
  await using partner = await openPartner();
  const customer = { name: "Maria", document: { type, number } };
  const refused = await askForOrder(partner, orderBody("PIX", {}, { customer }));
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body["details"])).toContain("customer.document");
});

test("a customer may have a document of any other kind, or a lower-case CURP", async () => {
  await using partner = await openPartner();
  const other = { name: "Jo", document: { type: "OTHERS", number: "A-1" } };
  await makeOrder(partner, orderBody("BOLETO", {}, { customer: other }));
  const curp = { name: "Juana", document: { type: "CURP", number: "sabc560626mdflrn01" } };
  const order = await makeOrder(partner, orderBody("SPEI", {}, { customer: curp }));
  expect((await orderNow(partner, order["id"]))["customer"]).toMatchObject({ document: JUANA.document });
});

test("a DEPOSIT order names its bank in either place; two that differ and an unknown one are refused", async () => {
  await using partner = await openPartner();
  const bank = async (order: object, details?: object) => {
    const made = await makeOrder(
      partner,
      orderBody("DEPOSIT", order, details && { paymentDetails: details }),
    );
    return ((await orderNow(partner, made["id"]))["bank"] as { slug: string }).slug;
  };
  expect(await bank({})).toBe("banco-do-brasil");
  expect(await bank({ bankSlug: "itau" })).toBe("itau");
  expect(await bank({}, { bankSlug: "caixa" })).toBe("caixa");
  expect(await bank({ bankSlug: "caixa" }, { bankSlug: "caixa" })).toBe("caixa");
  const differing = orderBody("DEPOSIT", { bankSlug: "itau" }, { paymentDetails: { bankSlug: "caixa" } });
  expect(detail(await askForOrder(partner, differing), "paymentDetails.bankSlug")["issue"]).toBe("INVALID");
  const unknown = await askForOrder(partner, orderBody("DEPOSIT", { bankSlug: "itaú" }));
  expect(detail(unknown, "order.bankSlug")["description"]).toContain("Did you mean itau?");
});

test("each SPEI order has its own valid CLABE", async () => {
  await using partner = await openPartner();
  const clabes = new Set<string>();
  for (let number = 0; number < 5; number++) {
    const { bankAccount } = await makeOrder(partner, orderBody("SPEI"));
    expect(bankAccount).toMatchObject({ beneficiary: "Acme Assinaturas LTDA", bankCode: "90646" });
    const { clabe: text } = bankAccount as { clabe: string };
    expect(clabe({ bank: text.slice(0, 3), city: text.slice(3, 6), account: text.slice(6, 17) })).toBe(text);
    clabes.add((bankAccount as { clabe: string }).clabe);
  }
  expect(clabes.size).toBe(5);
});

test("a boleto contains amount and due date in its barcode, and the same in its line", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("BOLETO"));
  const { slip } = (await orderNow(partner, order["id"])) as unknown as {
    slip: { barcode: string; line: string };
  };
  expect(slip.barcode).toMatch(/^0019\d16390000015000\d{25}$/);
  expect(slip.line).toBe(boletoLine(slip.barcode));
});

test("a boleto is limited to the amount that its barcode can represent", async () => {
  await using partner = await openPartner();
  await makeOrder(partner, orderBody("BOLETO", { amount: { currency: "BRL", value: "99999999.99" } }));
  const more = orderBody("BOLETO", { amount: { currency: "BRL", value: "100000000.00" } });
  expect(detail(await askForOrder(partner, more), "order.amount.value")["issue"]).toBe("INVALID");
});

test.each([
  ["card.number", { card: card("4111111111111112") }],
  ["card.expiration", { card: card(CARDS.approved, { expiration: "10/26" }) }],
  ["card.expiration", { card: card(CARDS.approved, { expiration: "13/30" }) }],
  ["card.holderDocument", { card: card(CARDS.approved, { holderDocument: "52998224725" }) }],
  ["card.securityCode", { card: card(CARDS.approved, { securityCode: "12" }) }],
  ["cardToken", { card: card(CARDS.approved), cardToken: "card_approved" }],
])("a card order with a wrong %s is refused without repeating the card", async (field, paymentDetails) => {
  await using partner = await openPartner();
  const refused = await askForOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
  expect(refused.status).toBe(400);
  expect(detail(refused, `paymentDetails.${field}`)).toBeDefined();
  expect(JSON.stringify(refused.body)).not.toMatch(/411111|52998224725/);
});

test("a card order without a card is refused", async () => {
  await using partner = await openPartner();
  for (const paymentDetails of [undefined, {}, { browser: { language: "es-MX" } }]) {
    const refused = await askForOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
    expect(detail(refused, "paymentDetails")["issue"]).toBe("REQUIRED");
  }
});

test("a card is valid until the last day of its month, and its holder's document is masked", async () => {
  await using partner = await openPartner();
  for (const holderDocument of ["529********", "112***********"]) {
    const paymentDetails = { card: card(CARDS.approved, { expiration: "11/26", holderDocument }) };
    const { status } = await askForOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
    expect(status).toBe(200);
  }
});

test("installments of card and order must not differ", async () => {
  await using partner = await openPartner();
  const paymentDetails = { card: card(CARDS.approved, { installments: 3 }) };
  const same = await makeOrder(partner, orderBody("CREDIT_CARD", { installments: 3 }, { paymentDetails }));
  expect(await orderNow(partner, same["id"])).toMatchObject({ installments: 3, lastDigits: "1111" });
  const differing = orderBody("CREDIT_CARD", { installments: 2 }, { paymentDetails });
  expect(detail(await askForOrder(partner, differing), "paymentDetails.card.installments")).toBeDefined();
});

test.each([
  ["the flag asks for it", card(CARDS.approved, { skipThreeDs: false }), "CHALLENGE"],
  ["the flag leaves it out", card(CARDS.challenged, { skipThreeDs: true }), "SKIPPED"],
  ["the card wants it", card(CARDS.challenged), "CHALLENGE"],
  ["the card does not", card(CARDS.approved), "FRICTIONLESS"],
  ["the card is unknown", card(CARDS.unknown), "FRICTIONLESS"],
])("3-D Secure where %s", async (_why, raw, status) => {
  await using partner = await openPartner();
  const { threeDs } = await makeOrder(
    partner,
    orderBody("CREDIT_CARD", {}, { paymentDetails: { card: raw } }),
  );
  expect(Object.keys(threeDs as object).sort()).toEqual(
    status === "CHALLENGE" ? ["accessToken", "challengeUrl", "status"] : ["status"],
  );
  expect(threeDs).toMatchObject({ status });
});

test("a 3-D Secure token is a passed challenge, with a card, a stored card or alone", async () => {
  await using partner = await openPartner();
  for (const details of [{ card: card(CARDS.challenged) }, { cardToken: "card_challenged" }, {}]) {
    const paymentDetails = { ...details, threeDsToken: "nonce" };
    const order = await makeOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
    expect(order["threeDs"]).toEqual({ status: "AUTHENTICATED" });
  }
});

test("fees are added to the amount: the payer pays both, the account is credited with the amount", async () => {
  const assumptions = { "order.fee-fixed": 100, "order.fee-variable": 250, "order.fee-additional": 5 };
  await using partner = await openPartner({ assumptions });
  const order = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(order["fees"]).toEqual({ fixed: "1.00", variable: "3.75", additional: "0.05" });
  expect(order["finalAmount"]).toEqual({ currency: "BRL", value: "154.80" });
  await partner.act("order.pay", { id: order["id"], amount: "152.00" });
  await partner.act("order.pay", { id: order["id"] });
  expect(await onLedger(partner, "fees", "BRL")).toBe("4.80");
  expect(await onLedger(partner, `available:${ACME_ACCOUNT}`, "BRL")).toBe("100150.00");
});

test("an order of a company without an ACTIVE account is refused", async () => {
  await using partner = await openPartner();
  await partner.act("account.deactivate", { id: ACME_ACCOUNT });
  const refused = await askForOrder(partner, orderBody("PIX"));
  expect(refused.status).toBe(404);
  expect(refused.body).toEqual({ error: "NOT_FOUND", message: "Resource not found", details: [] });
});

test("an unknown token is 401 and one without the scope 403, on both versions", async () => {
  await using partner = await openPartner();
  for (const version of ["v2", "v3"] as const) {
    const unknown = await askForOrder(partner, orderBody("PIX"), { version, token: "nobody" });
    expect(unknown.body).toEqual({ error: "UNAUTHORIZED", message: "Unauthorized Request", details: [] });
    const scopeless = await askForOrder(partner, orderBody("PIX"), {
      version,
      token: "acme-token-without-scope",
    });
    expect(scopeless.status).toBe(403);
  }
});
