import { execFile } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MatchersV3 as match, Pact } from "@pact-foundation/pact";
import { promisify } from "node:util";
import { type Charge, type NewSubscription, newCharge, newSubscription } from "./banking-calls.ts";
import { BankingService } from "./banking-service.ts";
import { readEvent } from "./platform-event.ts";

/** The gym's expectations of the platform, as pacts. `sandbank contracts verify` verifies them against the sandbox. */
const FOLDER = fileURLToPath(new URL("pacts", import.meta.url));
const TIMEOUT_MS = 60_000;
const UUID = "3f1c9a52-8b7e-4c1d-9e2a-5b6c7d8e9f01";

const SANDBANK = process.env["SANDBANK"]?.split(" ") ?? [process.execPath, "src/cli/main.ts"];

const pact = new Pact({ consumer: "gym", provider: "banking-service", dir: FOLDER, logLevel: "error" });
const bankAt = (baseUrl: string): BankingService => new BankingService({ baseUrl, token: "acme-token" });
const authorized = { authorization: match.regex(/^Bearer .+$/, "Bearer acme-token") };

const subscription = {
  accountId: "11111111-1111-4111-8111-111111111111",
  externalId: "member-52998224725",
  startDate: "2026-11-23",
  fixedAmount: { currency: "BRL", value: "59.90" },
  debtor: { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } },
  webhookUrl: "http://127.0.0.1:4020/webhooks",
} as const;

const charge = {
  externalId: "member-52998224725-2026-11",
  dueDate: "2026-11-25",
  amount: { currency: "BRL", value: "59.90" },
} as const;

const paymentsOf = (id: string): string => `/public/v1/banking/subscriptions/${id}/payments`;

/** An older file would contain interactions that are no longer expected. */
beforeAll(() => rm(FOLDER, { recursive: true, force: true }));

test(
  "a new subscription comes with its QR code",
  async () => {
    await pact
      .addInteraction()
      .uponReceiving("a member joins")
      .withRequest("POST", "/order/v1/banking/subscriptions", (request) => {
        request.headers(authorized).jsonBody({
          type: "AUTHORIZATION_QRCODE",
          frequencyType: "MONTHLY",
          ...subscription,
        });
      })
      .willRespondWith(201, (response) => {
        response.jsonBody({
          id: match.uuid(UUID),
          status: match.string("PENDING_AUTHORIZATION"),
          qrcodeData: match.string("00020126"),
        });
      })
      .executeTest(async ({ url }) => {
        const created = await bankAt(url).send<NewSubscription>(newSubscription(subscription));
        expect(created).toMatchObject({ id: UUID, status: "PENDING_AUTHORIZATION" });
      });
  },
  TIMEOUT_MS,
);

test(
  "a charge of an accepted subscription is taken",
  async () => {
    await pact
      .addInteraction()
      .given("a subscription was accepted", { externalId: subscription.externalId })
      .uponReceiving("the gym charges a month")
      .withRequest(
        "PUT",
        match.fromProviderState(paymentsOf("${subscriptionId}"), paymentsOf(UUID)),
        (request) => {
          request.headers(authorized).jsonBody(charge);
        },
      )
      .willRespondWith(200, (response) => {
        response.jsonBody({
          id: match.uuid(UUID),
          externalId: charge.externalId,
          status: match.string("PENDING"),
        });
      })
      .executeTest(async ({ url }) => {
        const created = await bankAt(url).send<Charge>(newCharge(UUID, charge));
        expect(created.externalId).toBe(charge.externalId);
      });
  },
  TIMEOUT_MS,
);

test(
  "a charge that is due too soon is refused, and the field is named",
  async () => {
    const late = { ...charge, dueDate: "2026-11-21" };
    await pact
      .addInteraction()
      .given("a subscription was accepted", { externalId: subscription.externalId })
      .uponReceiving("the gym charges a month too late")
      .withRequest(
        "PUT",
        match.fromProviderState(paymentsOf("${subscriptionId}"), paymentsOf(UUID)),
        (request) => {
          request.headers(authorized).jsonBody(late);
        },
      )
      .willRespondWith(400, (response) => {
        response.jsonBody({
          error: "INVALID_REQUEST",
          message: match.string("The request is not valid"),
          details: match.eachLike({ field: "dueDate", issue: match.string("OUT_OF_WINDOW") }),
        });
      })
      .executeTest(async ({ url }) => {
        await expect(bankAt(url).send(newCharge(UUID, late))).rejects.toMatchObject({
          status: 400,
          details: [{ field: "dueDate" }],
        });
      });
  },
  TIMEOUT_MS,
);

test.each([
  ["SUBSCRIPTION.ACCEPTED", "a subscription was accepted", "ACCEPTED"],
  ["SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED", "a charge was paid", "COMPLETED"],
])(
  "%s names the object and its status",
  async (name, state, status) => {
    await pact
      .addAsynchronousInteraction()
      .given(state)
      .expectsToReceive(name, (message) => {
        message.withJSONContent({
          event: name,
          occurredAt: match.datetime("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-11-25T03:05:00.000Z"),
          data: { id: match.uuid(UUID), status },
        });
      })
      .executeTest(async ({ contents }) => {
        const event = readEvent(JSON.stringify((contents as { content: unknown }).content));
        expect(event).toMatchObject({ name, id: UUID, status });
      });
  },
  TIMEOUT_MS,
);

test(
  "the sandbox keeps the pact",
  async () => {
    const [node = "", ...script] = SANDBANK;
    const verify = ["contracts", "verify", FOLDER, "--reporter", "json"];
    const { stdout } = await promisify(execFile)(node, [...script, ...verify]);
    const { pacts } = JSON.parse(stdout) as { pacts: { interactions: { verdict: string }[] }[] };
    const verdicts = pacts.flatMap(({ interactions }) => interactions.map(({ verdict }) => verdict));
    expect(verdicts).toEqual(Array.from({ length: 5 }, () => "passed"));
  },
  TIMEOUT_MS,
);
