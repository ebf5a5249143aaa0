import {
  ACME_ACCOUNT,
  type Answered,
  type Partner,
  createSubscription,
  detail,
  openPartner,
  subscriptionBody,
} from "../../../partner.ts";
import { decodeBrCode } from "../../../../src/simulator/countries/brazil/br-code.ts";
import { expect, test } from "vitest";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const IMMEDIATE = {
  type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
  initialCharge: { amount: { currency: "BRL", value: "59.90" } },
};

function create(partner: Partner, changed: object = {}): Promise<Answered> {
  return partner.ask("POST", SUBSCRIPTIONS, { body: subscriptionBody(changed) });
}

async function read(partner: Partner, id: unknown): Promise<Answered> {
  return partner.ask("GET", `${SUBSCRIPTIONS}/${String(id)}`);
}

test("journey 2 answers with a QR code to authorize by and no charge", async () => {
  await using partner = await openPartner();
  const { status, body } = await create(partner);
  expect(status).toBe(201);
  expect(shapeProblems("CreateSubscriptionResponse", body)).toEqual([]);
  expect(body).toMatchObject({ status: "PENDING_AUTHORIZATION", externalId: "subscription-1" });
  expect(body).not.toHaveProperty("initialCharge");
  expect(body["providerId"]).toMatch(/^RR99999004202611201?[A-Za-z0-9]{10,11}$/);
  expect(decodeBrCode(body["qrcodeData"] as string)).toMatchObject({ kind: "recurrence" });
  expect(
    Buffer.from(body["qrcodeImageBase64"] as string, "base64")
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  const orders = await partner.ask("GET", "/sandbox/resources/orders");
  expect(orders.body["data"]).toEqual([]);
});

test("journey 3 answers with the first charge and its order", async () => {
  await using partner = await openPartner();
  const { status, body } = await create(partner, IMMEDIATE);
  expect(status).toBe(201);
  expect(body["initialCharge"]).toEqual({
    orderId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    expireDateTime: "2026-11-21T12:00:00.000Z",
    conciliationId: expect.stringMatching(/^[a-zA-Z0-9]{26,35}$/),
    amount: { currency: "BRL", value: "59.90" },
  });
  const code = decodeBrCode(body["qrcodeData"] as string);
  expect(code).toMatchObject({ kind: "dynamic", recurrenceLocation: expect.stringContaining("/rec/") });
  const { orderId } = body["initialCharge"] as { orderId: string };
  const order = await partner.ask("GET", `/sandbox/resources/orders/${orderId}`);
  expect(order.body).toMatchObject({ status: "INITIAL", subscriptionId: body["id"] });
});

test("a read returns the Subscription resource with every field of the request", async () => {
  await using partner = await openPartner();
  const sent = subscriptionBody({
    ...IMMEDIATE,
    endDate: "2027-11-20",
    fixedAmount: { currency: "BRL", value: 59.9 },
    allowAdjustToBusinessDay: true,
  });
  const { body: created } = await create(partner, sent);
  const { status, body } = await read(partner, created["id"]);
  expect(status).toBe(200);
  expect(shapeProblems("Subscription", body)).toEqual([]);
  expect(body).toMatchObject({
    id: created["id"],
    providerId: created["providerId"],
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    status: "PENDING_AUTHORIZATION",
    statusHistory: [
      { status: "INITIAL", createdAt: "2026-11-20T12:00:00.000Z" },
      { status: "PENDING_AUTHORIZATION", createdAt: "2026-11-20T12:00:00.000Z" },
    ],
    qrcodeDetail: { imageBase64: created["qrcodeImageBase64"], qrcodeData: created["qrcodeData"] },
    initialCharge: created["initialCharge"],
    allowChargeAfterDueDate: true,
    allowAdjustToBusinessDay: true,
    frequencyType: "MONTHLY",
    startDate: "2026-11-20",
    endDate: "2027-11-20",
    fixedAmount: { currency: "BRL", value: "59.90" },
    debtor: sent["debtor"],
    receiver: {
      id: ACME_ACCOUNT,
      fullName: "Acme Assinaturas LTDA",
      document: { type: "CNPJ", number: "11222333000181" },
    },
    description: "Gym membership",
    webhookUrl: sent["webhookUrl"],
    externalId: "subscription-1",
    createdAt: "2026-11-20T12:00:00.000Z",
  });
  expect(body).not.toHaveProperty("payer");
});

test("optional fields that were not sent are not shown", async () => {
  await using partner = await openPartner();
  const sent = subscriptionBody();
  for (const field of ["description", "allowChargeAfterDueDate", "allowAdjustToBusinessDay"])
    delete sent[field];
  const created = await partner.ask("POST", SUBSCRIPTIONS, { body: sent });
  expect(created.status).toBe(201);
  expect(created.body["providerId"]).toMatch(/^RN/);
  const { body } = await read(partner, created.body["id"]);
  const optional =
    "description endDate fixedAmount maxAmountFloor initialCharge payer allowChargeAfterDueDate";
  for (const field of optional.split(" ")) expect(body).not.toHaveProperty(field);
});

test.each(["accountId", "type", "frequencyType", "startDate", "debtor", "webhookUrl", "externalId"])(
  "without %s nothing is created",
  async (field) => {
    await using partner = await openPartner();
    const body = subscriptionBody();
    delete body[field];
    const refused = await partner.ask("POST", SUBSCRIPTIONS, { body });
    expect(refused.status).toBe(400);
    expect(refused.body["error"]).toBe("INVALID_REQUEST");
    expect(refused.body["details"]).toEqual([
      { field, issue: "REQUIRED", description: expect.stringContaining("required") as string },
    ]);
  },
);

test.each([
  ["accountId", "not-a-uuid"],
  ["accountId", 7],
  ["type", "AUTHORIZATION"],
  ["allowChargeAfterDueDate", "yes"],
  ["frequencyType", "DAILY"],
  ["startDate", "2026-11-19"],
  ["startDate", "20/11/2026"],
  ["startDate", "2026-02-30"],
  ["startDate", "2026-11-20T00:00:00Z"],
  ["endDate", "2026-11-19"],
  ["endDate", "never"],
  ["fixedAmount.value", { currency: "BRL", value: "0" }],
  ["fixedAmount.value", { currency: "BRL", value: "-1.00" }],
  ["fixedAmount.value", { currency: "BRL", value: "10.001" }],
  ["fixedAmount.value", { currency: "BRL", value: "ten" }],
  ["fixedAmount.value", { currency: "BRL", value: true }],
  ["fixedAmount.value", { currency: "BRL" }],
  ["fixedAmount.currency", { currency: "USD", value: "10.00" }],
  ["fixedAmount.currency", { value: "10.00" }],
  ["fixedAmount", "10.00"],
  ["maxAmountFloor.value", { currency: "BRL", value: "0.00" }],
  ["debtor.name", { document: { type: "CPF", number: "52998224725" } }],
  ["debtor.document", { name: "Dora" }],
  ["debtor.document.type", { name: "Dora", document: { type: "RG", number: "1" } }],
  ["debtor.document.number", { name: "Dora", document: { type: "CPF", number: "52998224726" } }],
  ["debtor.document.number", { name: "Dora", document: { type: "CPF", number: "11111111111" } }],
  ["debtor.document.number", { name: "Dora", document: { type: "CPF", number: "529.982.247-25" } }],
  ["debtor.document.number", { name: "Dora", document: { type: "CNPJ", number: "12ABC34501DE36" } }],
  ["webhookUrl", "ftp://partner.example"],
  ["webhookUrl", "http://partner.example:65536/webhooks"],
  ["webhookUrl", "http:///webhooks"],
  ["webhookUrl", "partner.example/webhooks"],
  ["externalId", ""],
  ["externalId", null],
  ["description", 5],
])("a wrong %s is refused with its path: %j", async (path, value) => {
  await using partner = await openPartner();
  const [field = ""] = path.split(".");
  const refused = await create(partner, { [field]: value });
  expect(refused.status).toBe(400);
  expect(refused.body["details"]).toHaveLength(1);
  expect(detail(refused, path)["description"]).toMatch(/\w.+[.?]$/);
});

/** Text of spaces once passed for a name, a code or a reason. */
test.each([
  ["externalId", { externalId: "  " }],
  ["debtor.name", { debtor: { name: " ", document: { type: "CPF", number: "52998224725" } } }],
])("a blank %s is refused", async (field, changed) => {
  await using partner = await openPartner();
  const refused = await create(partner, changed);
  expect(refused.status).toBe(400);
  expect(detail(refused, field)).toMatchObject({
    issue: "INVALID",
    description: expect.stringContaining("must not be blank") as unknown,
  });
});

test("an alphanumeric CNPJ is accepted, in lower case too", async () => {
  await using partner = await openPartner();
  const debtor = { name: "Dora LTDA", document: { type: "CNPJ", number: "12abc34501de35" } };
  const created = await createSubscription(partner, { debtor });
  const { body } = await read(partner, created["id"]);
  expect(body["debtor"]).toEqual({ name: "Dora LTDA", document: { type: "CNPJ", number: "12ABC34501DE35" } });
});

test("check digits are not checked where an assumption disables it", async () => {
  await using partner = await openPartner({ assumptions: { "documents.validate": false } });
  const debtor = { name: "Dora", document: { type: "CPF", number: "52998224726" } };
  expect((await create(partner, { debtor })).status).toBe(201);
});

test("without check digits the form of a document is still checked", async () => {
  await using partner = await openPartner({ assumptions: { "documents.validate": false } });
  const debtor = { name: "Dora", document: { type: "CPF", number: "5299822472" } };
  const refused = await create(partner, { debtor });
  expect(detail(refused, "debtor.document.number")).toMatchObject({ issue: "INVALID" });
  await createSubscription(partner, {
    debtor: { name: "Dora", document: { type: "CPF", number: "52998224724" } },
  });
});

test("fixedAmount and maxAmountFloor exclude each other, and both are named", async () => {
  await using partner = await openPartner();
  const amount = { currency: "BRL", value: "10.00" };
  const refused = await create(partner, { fixedAmount: amount, maxAmountFloor: amount });
  expect(refused.status).toBe(400);
  expect(detail(refused, "fixedAmount")["issue"]).toBe("MUTUALLY_EXCLUSIVE");
  expect(detail(refused, "maxAmountFloor")["issue"]).toBe("MUTUALLY_EXCLUSIVE");
  expect(refused.body["details"]).toHaveLength(2);
  expect((await create(partner, { maxAmountFloor: amount })).status).toBe(201);
});

test("journey 3 requires an initial charge, and journey 2 allows none", async () => {
  await using partner = await openPartner();
  const { type } = IMMEDIATE;
  expect(detail(await create(partner, { type }), "initialCharge")["issue"]).toBe("REQUIRED");
  const { initialCharge } = IMMEDIATE;
  expect(detail(await create(partner, { initialCharge }), "initialCharge")["issue"]).toBe("NOT_ALLOWED");
  const zero = { type, initialCharge: { amount: { currency: "BRL", value: 0 } } };
  expect(detail(await create(partner, zero), "initialCharge.amount.value")["issue"]).toBe("INVALID");
});

test("a payer on journey 2 is ignored, a payer on journey 3 is the one who accepts", async () => {
  await using partner = await openPartner();
  const payer = { name: "Pedro Pagador", document: { type: "CPF", number: "11144477735" } };
  const onTwo = await createSubscription(partner, { payer, externalId: "two" });
  const onThree = await createSubscription(partner, { ...IMMEDIATE, payer, externalId: "three" });
  await partner.act("subscription.accept", { id: onTwo["id"] });
  await partner.act("subscription.accept", { id: onThree["id"] });
  expect((await read(partner, onTwo["id"])).body["payer"]).toMatchObject({ name: "Dora Devedora" });
  expect((await read(partner, onThree["id"])).body["payer"]).toMatchObject({
    ...payer,
    bankData: {
      ispb: expect.stringMatching(/^[0-9A-Z]{8}$/) as string,
      accountNumber: expect.any(String) as string,
    },
  });
});

test.each([{ name: "", document: { type: "PASSPORT" } }, null])(
  "a payer of journey 2 is ignored, even if it is %j",
  async (payer) => {
    await using partner = await openPartner();
    const created = await createSubscription(partner, { payer });
    expect(created["status"]).toBe("PENDING_AUTHORIZATION");
  },
);

test("an external id is unique within a company, unless assumed otherwise", async () => {
  await using partner = await openPartner();
  await createSubscription(partner);
  expect(detail(await create(partner), "externalId")["issue"]).toBe("ALREADY_EXISTS");
  await using lax = await openPartner({ assumptions: { "subscription.external-id-unique": false } });
  await createSubscription(lax);
  expect((await create(lax)).status).toBe(201);
});

test("an account that is not ACTIVE is forbidden, an unknown one is not found", async () => {
  await using partner = await openPartner();
  for (const last of ["2", "3"]) {
    const refused = await create(partner, { accountId: ACME_ACCOUNT.slice(0, -1) + last });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ error: "FORBIDDEN_ERROR", details: [] });
  }
  expect((await create(partner, { accountId: "11111111-1111-4111-8111-111111111119" })).status).toBe(404);
});

test("a refused request draws no ids: the next ids are the same", async () => {
  await using calm = await openPartner();
  await using stormy = await openPartner();
  await create(stormy, { startDate: "2020-01-01" });
  await create(stormy, { accountId: "11111111-1111-4111-8111-111111111112" });
  expect((await createSubscription(stormy))["id"]).toBe((await createSubscription(calm))["id"]);
});

test.each([
  ["{", "not valid JSON"],
  ["[]", "must be a JSON object"],
  ["null", "must be a JSON object"],
  ['"text"', "must be a JSON object"],
  ["", "required"],
  [`{"description":"${"x".repeat(1_100_000)}"}`, "larger than"],
])("a body such as %.20s is refused completely", async (body, sentence) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", SUBSCRIPTIONS, { body });
  expect(refused.status).toBe(400);
  expect(detail(refused, "body")["description"]).toContain(sentence);
});

test("a field that is not known is ignored with a warning, and refused where payloads are strict", async () => {
  await using partner = await openPartner();
  const accepted = await create(partner, {
    colour: "blue",
    debtor: { ...subscriptionBody()["debtor"], age: 3 },
  });
  expect(accepted.status).toBe(201);
  expect(accepted.headers.get("x-sandbox-warning")).toContain("colour");
  expect(accepted.headers.get("x-sandbox-warning")).toContain("debtor.age");
  await using strict = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
  expect(detail(await create(strict, { colour: "blue" }), "colour")["issue"]).toBe("NOT_ALLOWED");
});

test.each(["endDate", "fixedAmount", "description", "allowChargeAfterDueDate"])(
  "null in %s is refused, and read as absent where the assumption says so",
  async (field) => {
    await using partner = await openPartner();
    const refused = await create(partner, { [field]: null });
    expect([refused.status, detail(refused, field)["issue"]]).toEqual([400, "INVALID"]);
    await using lenient = await openPartner({ assumptions: { "payloads.null-fields": "absent" } });
    expect((await create(lenient, { [field]: null })).status).toBe(201);
  },
);

test("null in a required field is refused either way", async () => {
  await using partner = await openPartner({ assumptions: { "payloads.null-fields": "absent" } });
  const refused = await create(partner, { externalId: null });
  expect(detail(refused, "externalId")["issue"]).toBe("REQUIRED");
});

test("an id that is no UUID is an invalid request", async () => {
  await using partner = await openPartner();
  expect((await read(partner, "7")).status).toBe(400);
});

/** A UUID in capitals passed for a UUID and was then not found. */
test("an object is found by its id in capitals too", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const found = await read(partner, String(id).toUpperCase());
  expect(found.status).toBe(200);
  expect(found.body["id"]).toBe(id);
});

test("every answer has the world's time", async () => {
  await using partner = await openPartner();
  expect((await create(partner)).headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
});

test("start dates are checked by the day in Brasília, on both sides of midnight there and in UTC", async () => {
  await using partner = await openPartner({ start: "2026-11-20T23:59:59-03:00" });
  expect((await create(partner, { startDate: "2026-11-20", externalId: "a" })).status).toBe(201);
  await partner.advance("PT1S");
  expect((await create(partner, { startDate: "2026-11-20", externalId: "b" })).status).toBe(400);
  expect((await create(partner, { startDate: "2026-11-21", externalId: "c" })).status).toBe(201);
});
