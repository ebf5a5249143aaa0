import type { OperationId } from "../../../src/simulator/api/vocabulary.ts";
import { assert, constant, constantFrom, jsonValue, oneof, property } from "fast-check";
import { expect, test } from "vitest";
import { operations } from "../../../src/simulator/api/operations.ts";
import { checkOf } from "../../../src/simulator/api/schema-compiler.ts";
import { definition, exampleOf, withChanges } from "../../../src/simulator/api/schemas.ts";
import {
  bodyProblems,
  pathProblems,
  queryProblems,
  unknownFields,
  shapeProblems,
} from "../../../src/simulator/api/validation.ts";

const requests = Object.values(operations).filter(({ request }) => request !== undefined);

/** The example body of an operation with changes; a field that is changed to undefined is left out. */
function body(operationId: OperationId, changes: object = {}, exampleNumber = 1): unknown {
  const { request } = operations[operationId];
  if (request === undefined) throw new Error(`${operationId} takes no body`);
  const { schema } = definition(request);
  return withChanges(schema.examples?.[exampleNumber - 1] ?? exampleOf(schema), changes);
}

function issues(operationId: OperationId, value: unknown): string[] {
  return bodyProblems(operationId, value).map(({ field, issue }) => `${field} ${issue}`);
}

test.each(requests)("the examples of $operationId have no problem and no unknown field", (operation) => {
  const { operationId } = operation;
  const examples = definition(operation.request ?? "").schema.examples ?? [];
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    expect(bodyProblems(operationId, example)).toEqual([]);
    expect(unknownFields(operationId, example)).toEqual([]);
  }
});

test.each([
  ["createSubscription", "accountId type frequencyType startDate debtor webhookUrl externalId"],
  ["createScheduledPayment", "externalId dueDate amount"],
  ["createPayout", "externalId accountId paymentMethod paymentData amount description"],
  ["refundOrder", "orderId reason requestedBy amount"],
  ["createTransparentOrder", "customer order"],
  ["createClaim", "type key"],
  ["confirmClaim", "validationId code"],
  ["resendClaimCode", "validationId"],
  ["issueToken", "grant_type scope"],
] as const)("an empty body of %s misses every required field", (operationId, fields) => {
  expect(issues(operationId, {})).toEqual(fields.split(" ").map((field) => `${field} REQUIRED`));
});

test("five mistakes are reported together, one problem for each field", () => {
  const wrong = {
    type: "AUTHORIZATION",
    startDate: "2026-02-30",
    fixedAmount: { currency: "BRL", value: "-1" },
    debtor: { document: { type: "RG" } },
    webhookUrl: "ftp://partner.example",
  };
  expect(bodyProblems("createSubscription", body("createSubscription", wrong))).toEqual([
    {
      field: "type",
      issue: "INVALID",
      description:
        'type must be one of AUTHORIZATION_QRCODE, AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT; found "AUTHORIZATION". Did you mean AUTHORIZATION_QRCODE?',
    },
    {
      field: "startDate",
      issue: "INVALID",
      description: 'startDate must be a date of the calendar as YYYY-MM-DD; found "2026-02-30".',
    },
    {
      field: "fixedAmount.value",
      issue: "INVALID",
      description:
        'fixedAmount.value must be a decimal value greater than 0, with at most ten digits before the point and the decimals of its currency after it, as text or as a number, such as "10.50"; found "-1".',
    },
    {
      field: "debtor.document.type",
      issue: "INVALID",
      description: 'debtor.document.type must be one of CPF, CNPJ; found "RG".',
    },
    {
      field: "webhookUrl",
      issue: "INVALID",
      description:
        'webhookUrl must be an absolute http or https URL of at most 2048 characters; found "ftp://partner.example".',
    },
  ]);
});

test.each([undefined, null, [], "text", 7, true])("a body that is %j is one problem", (value) => {
  expect(bodyProblems("createSubscription", value)).toMatchObject([{ field: "body" }]);
});

test("an operation without a body accepts any body", () => {
  expect(bodyProblems("cancelClaim", undefined)).toEqual([]);
  expect(bodyProblems("cancelClaim", { anything: 1 })).toEqual([]);
});

test.each(["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"])(
  "%s is a frequency",
  (frequencyType) => {
    expect(issues("createSubscription", body("createSubscription", { frequencyType }))).toEqual([]);
  },
);

test("a misspelt value is answered with the nearest one", () => {
  const [problem] = bodyProblems(
    "createSubscription",
    body("createSubscription", { frequencyType: "montly" }),
  );
  expect(problem?.description).toMatch(/found "montly"\. Did you mean MONTHLY\?$/);
});

test("journey 3 requires an initial charge", () => {
  const value = body("createSubscription", { initialCharge: undefined }, 2);
  expect(issues("createSubscription", value)).toEqual(["initialCharge REQUIRED"]);
});

test.each(["10.50", "0.01", "0.1", "007", 10.5, 1, "9999999999.99", 9999999999.99, "0009999999999"])(
  "the amount value %j is accepted",
  (value) => {
    const changes = { amount: { currency: "BRL", value } };
    expect(issues("createPayout", body("createPayout", changes))).toEqual([]);
  },
);

test.each([
  "0",
  "0.00",
  0,
  -1,
  "",
  "1,50",
  "1.",
  ".5",
  "+1",
  "1e3",
  " 1",
  "00",
  "1.001",
  "10000000000",
  10000000000,
  "00000000000001",
  1e300,
  null,
  true,
  {},
])("the amount value %j is one problem", (value) => {
  const changes = { amount: { currency: "BRL", value } };
  expect(issues("createPayout", body("createPayout", changes))).toEqual(["amount.value INVALID"]);
});

test("a payout is in BRL only", () => {
  const value = body("createPayout", { amount: { currency: "USD", value: "1.00" } });
  expect(issues("createPayout", value)).toEqual(["amount.currency INVALID"]);
});

test("a payout has exactly one destination", () => {
  const none = body("createPayout", { paymentData: { pixKey: undefined } });
  expect(issues("createPayout", none)).toEqual(["paymentData REQUIRED"]);
  const two = body("createPayout", { paymentData: { qrcodeData: "000201" } });
  expect(issues("createPayout", two)).toEqual([
    "paymentData.pixKey MUTUALLY_EXCLUSIVE",
    "paymentData.qrcodeData MUTUALLY_EXCLUSIVE",
  ]);
});

test("a TED payout is to a bank account only and names its receiver", () => {
  const value = body("createPayout", { paymentMethod: "TED" });
  expect(issues("createPayout", value)).toEqual(["receiver REQUIRED", "paymentData.pixKey NOT_ALLOWED"]);
});

test("of two problems with one field the more specific one is reported", () => {
  const changes = { paymentMethod: "TED", paymentData: { pixKey: "" } };
  expect(issues("createPayout", body("createPayout", changes))).toContain("paymentData.pixKey NOT_ALLOWED");
});

test("a payout to a bank account names its receiver, by PIX too", () => {
  const value = body("createPayout", { paymentMethod: "PIX", receiver: undefined }, 2);
  expect(issues("createPayout", value)).toEqual(["receiver REQUIRED"]);
});

test("a bank account names its bank", () => {
  const value = body("createPayout", { paymentData: { bankAccount: { bankNumber: undefined } } }, 2);
  expect(issues("createPayout", value)).toEqual(["paymentData.bankAccount REQUIRED"]);
});

test("a new attempt names the charge that it retries", () => {
  const value = body("createScheduledPayment", { originalScheduledPaymentId: undefined }, 2);
  expect(issues("createScheduledPayment", value)).toEqual(["originalScheduledPaymentId REQUIRED"]);
});

test("a partner cannot create a resend", () => {
  const value = body("createScheduledPayment", { purpose: "RESEND_DUE_TO_SETTLEMENT_ERROR" });
  expect(issues("createScheduledPayment", value)).toEqual(["purpose INVALID"]);
});

test("only PIX by PIX_PARTNER allows no customer", () => {
  const changes = { customer: undefined, order: { partner: "PIX_PARTNER" } };
  expect(issues("createTransparentOrder", body("createTransparentOrder", changes))).toEqual([]);
  const other = { customer: undefined, order: { partner: "PIX_PARTNER", paymentMethod: "BOLETO" } };
  expect(issues("createTransparentOrder", body("createTransparentOrder", other))).toEqual([
    "customer REQUIRED",
  ]);
});

test("only PIX takes a PIX key", () => {
  const value = body("createTransparentOrder", { order: { paymentMethod: "BOLETO", pixKey: "a@b.example" } });
  expect(issues("createTransparentOrder", value)).toEqual(["order.pixKey NOT_ALLOWED"]);
});

test("the amount is required on v2, and on v3 except for PIX", () => {
  const open = { order: { amount: undefined } };
  expect(issues("createTransparentOrder", body("createTransparentOrder", open))).toEqual([
    "order.amount REQUIRED",
  ]);
  expect(issues("createTransparentOrderV3", body("createTransparentOrderV3"))).toEqual([]);
  const slip = body("createTransparentOrderV3", { order: { paymentMethod: "BOLETO" } });
  expect(issues("createTransparentOrderV3", slip)).toEqual(["order.amount REQUIRED"]);
});

test("a card order has a card or a card token", () => {
  const none = body("createTransparentOrder", { paymentDetails: { card: undefined } }, 2);
  expect(issues("createTransparentOrder", none)).toEqual(["paymentDetails REQUIRED"]);
  const token = body(
    "createTransparentOrder",
    { paymentDetails: { card: undefined, cardToken: "card_1" } },
    2,
  );
  expect(issues("createTransparentOrder", token)).toEqual([]);
});

test("null is not a value, and is reported as null", () => {
  const [problem] = bodyProblems("createSubscription", body("createSubscription", { externalId: null }));
  expect(problem).toEqual({
    field: "externalId",
    issue: "INVALID",
    description: "externalId must be a string; found null.",
  });
});

test("a found value is cut to 60 characters", () => {
  const [problem] = bodyProblems("createClaim", {
    type: "X".repeat(1000),
    key: { type: "EMAIL", value: "a" },
  });
  expect(problem?.description).toContain(`found "${"X".repeat(60)}…"`);
});

test("a text that is too long is reported with its length", () => {
  const [problem] = bodyProblems("createPayout", body("createPayout", { description: "x".repeat(501) }));
  expect(problem?.description).toBe("description must have at most 500 characters; found 501 characters.");
});

test.each([
  { paymentDetails: { card: "4111111111111111" } },
  { paymentDetails: { card: ["4111111111111111"] } },
  { paymentDetails: "4111111111111111" },
  { paymentDetails: { card: { number: 4111111111111111 } } },
  { paymentDetails: { card: { number: "4111-1111-1111-1111" } } },
  { paymentDetails: { card: { holderDocument: "4111111111111111" } } },
  { paymentDetails: { card: { expiration: "4111 1111 1111 1111" } } },
])("a card number is never repeated: %j", (changes) => {
  const problems = bodyProblems("createTransparentOrder", body("createTransparentOrder", changes, 2));
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems).replaceAll(/[ -]/g, "")).not.toContain("411111");
});

test("a security code is never repeated", () => {
  const changes = { paymentDetails: { card: { securityCode: "98765" } } };
  expect(bodyProblems("createTransparentOrder", body("createTransparentOrder", changes, 2))).toEqual([
    {
      field: "paymentDetails.card.securityCode",
      issue: "INVALID",
      description: "paymentDetails.card.securityCode must be a security code of three or four digits.",
    },
  ]);
});

test("unknown fields are no problem and are listed by their paths", () => {
  const value = body("createSubscription", {
    colour: "red",
    debtor: { age: 41, document: { country: "BR" } },
    initialCharge: { amount: { tip: 1 } },
  });
  expect(unknownFields("createSubscription", value)).toEqual([
    "debtor.document.country",
    "debtor.age",
    "colour",
    "initialCharge.amount.tip",
  ]);
});

test("the fields that a request shares with another are known", () => {
  const value = { customer: { name: "Maria", pet: 1 }, order: { amount: { tip: 1 } }, gift: true };
  expect(unknownFields("createTransparentOrderV3", value)).toEqual([
    "customer.pet",
    "order.amount.tip",
    "gift",
  ]);
});

test.each(
  Object.values(operations).flatMap(({ operationId, query }) => (query ? [{ operationId, query }] : [])),
)("$operationId reads a query without parameters as its schema does", ({ operationId, query }) => {
  const value = {};
  expect(checkOf(query, "text")(value)).toBe(true);
  expect(queryProblems(operationId, {})).toEqual({ value, problems: [] });
  expect(Object.keys(value).length).toBeGreaterThan(0);
});

test("query texts become values, and defaults are filled in", () => {
  expect(queryProblems("listAccounts", { limit: "7", status: undefined })).toEqual({
    value: { limit: 7, sort: "desc" },
    problems: [],
  });
  expect(queryProblems("listUndeliveredEvents", { createdFrom: "2026-11-20", sort: "asc" })).toEqual({
    value: { limit: 20, sort: "asc", createdFrom: "2026-11-20" },
    problems: [],
  });
});

test.each([
  ["listAccounts", { limit: "0" }, "limit"],
  ["listAccounts", { limit: "101" }, "limit"],
  ["listAccounts", { limit: "ten" }, "limit"],
  ["listAccounts", { limit: "" }, "limit"],
  ["listAccounts", { limit: "1.5" }, "limit"],
  ["listAccounts", { sort: "up" }, "sort"],
  ["listAccounts", { status: "OPEN" }, "status"],
  ["listUndeliveredEvents", { limit: "5001" }, "limit"],
  ["listUndeliveredEvents", { cursor: "abc" }, "cursor"],
  ["listUndeliveredEvents", { createdFrom: "2026-13-01" }, "createdFrom"],
  ["listUndeliveredEvents", { createdTo: "yesterday" }, "createdTo"],
] as const)("%s refuses the query %j", (operationId, query, field) => {
  expect(queryProblems(operationId, query).problems).toMatchObject([{ field, issue: "INVALID" }]);
});

test("an operation without a query ignores one", () => {
  expect(queryProblems("getWebhook", { limit: "x" })).toEqual({ value: {}, problems: [] });
});

test("an id in the path is a UUID", () => {
  expect(pathProblems("getSubscription", { id: "1" })).toMatchObject([{ field: "id", issue: "INVALID" }]);
  expect(pathProblems("getSubscription", { id: "3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01" })).toEqual([]);
});

test("an answer with a missing or an additional field violates the platform API", () => {
  const { accountId, ...rest } = exampleOf(definition("AccountBalance").schema) as Record<string, unknown>;
  expect(shapeProblems("AccountBalance", { accountId, ...rest })).toEqual([]);
  expect(shapeProblems("AccountBalance", rest)).toMatchObject([{ field: "accountId", issue: "REQUIRED" }]);
  expect(shapeProblems("AccountBalance", { accountId, ...rest, credit: 1 })).toMatchObject([
    { field: "credit", issue: "NOT_ALLOWED" },
  ]);
});

test("a problem inside a list names the item", () => {
  const subscription = withChanges(exampleOf(definition("Subscription").schema), {
    statusHistory: [{ status: "OPEN" }],
  });
  expect(shapeProblems("Subscription", subscription).map(({ field }) => field)).toEqual([
    "statusHistory[0].createdAt",
    "statusHistory[0].status",
  ]);
});

test("any body is answered with at most one problem per field", () => {
  const operationIds = requests.map(({ operationId }) => operationId);
  assert(
    property(constantFrom(...operationIds), jsonValue(), (operationId, value) => {
      const fields = bodyProblems(operationId, value).map(({ field }) => field);
      expect(new Set(fields).size).toBe(fields.length);
      expect(() => unknownFields(operationId, value)).not.toThrow();
    }),
  );
});

test("whatever value replaces a field, the problems are about that field", () => {
  const example = body("createSubscription", {}, 2) as Record<string, unknown>;
  const replacement = oneof(constant(undefined), jsonValue());
  assert(
    property(constantFrom(...Object.keys(example)), replacement, (name, value) => {
      const { [name]: _left, ...rest } = example;
      const changed = value === undefined ? rest : { ...rest, [name]: value };
      const fields = bodyProblems("createSubscription", changed).map(({ field }) => field.split(".")[0]);
      expect(fields.filter((field) => field !== name)).toEqual([]);
    }),
  );
});

test.each(["0x10", "1e1", " 5", "5 ", "", "five", "Infinity"])("%j is no number of a query", (limit) => {
  expect(queryProblems("listAccounts", { limit }).problems).toMatchObject([
    { field: "limit", issue: "INVALID" },
  ]);
});
