import { expect, test } from "vitest";
import { Pact, PactV2, PactV3, MatchersV2, MatchersV3, SpecificationVersion } from "@pact-foundation/pact";
import type { VerificationReport } from "../../src/contracts/verification/report.ts";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { sandbank } from "../cli/command.ts";
import { tmpdir } from "node:os";

/**
 * Pacts as partners write them: with the official library, against its mock server. `contracts verify`
 * has to read the matchers, generators, forms and messages that it writes.
 */
const TIMEOUT_MS = 60_000;
const AUTHORIZED = { Authorization: "Bearer acme-token" };
const names = { consumer: "shop", provider: "banking-service", logLevel: "error" } as const;
const { fromProviderState, integer, regex, string } = MatchersV3;

function folder(): string {
  return mkdtempSync(join(tmpdir(), "dsl-"));
}

async function verdicts(dir: string) {
  const { code, out, err } = await sandbank("contracts", "verify", dir, "--reporter", "json");
  if (out === "") throw new Error(err);
  const { pacts } = JSON.parse(out) as VerificationReport;
  const all = pacts.flatMap(({ interactions }) => interactions);
  return { code, all, byName: Object.fromEntries(all.map((one) => [one.description, one.verdict])) };
}

test(
  "a pact of version 4 with a state's values in path, header and body, and a message, passes",
  async () => {
    const dir = folder();
    const pact = new Pact({ ...names, dir });
    const subscription = "11111111-2222-4333-8444-555555555555";
    await pact
      .addInteraction()
      .given("a subscription was accepted", { externalId: "gym-7" })
      .uponReceiving("reads the subscription of the state")
      .withRequest(
        "GET",
        fromProviderState(
          "/order/v1/banking/subscriptions/${subscriptionId}",
          `/order/v1/banking/subscriptions/${subscription}`,
        ),
        (request) => request.headers(AUTHORIZED),
      )
      .willRespondWith(200, (response) =>
        response.jsonBody({
          id: fromProviderState("${subscriptionId}", subscription),
          status: regex("ACCEPTED|CANCELED", "ACCEPTED"),
          externalId: "gym-7",
        }),
      )
      .executeTest(async ({ url }) => {
        const answer = await fetch(`${url}/order/v1/banking/subscriptions/${subscription}`, {
          headers: AUTHORIZED,
        });
        expect(answer.status).toBe(200);
      });
    await pact
      .addInteraction()
      .given("an order was paid")
      .uponReceiving("refunds the order of the state")
      .withRequest("PUT", "/order/v2/refund", (request) =>
        request
          .headers({
            ...AUTHORIZED,
            "Content-Type": "application/json",
            "idempotency-key": "7f9c0d5e-0d0b-4b7c-8f43-7f1f2b1e9d11",
          })
          .jsonBody({
            orderId: fromProviderState("${orderId}", "none"),
            reason: "changed their mind",
            requestedBy: { name: "Ana", email: "ana@shop.example" },
            amount: "1.00",
          }),
      )
      .willRespondWith(200, (response) =>
        response.jsonBody({ id: string("x"), status: "INITIAL", amount: "1.00" }),
      )
      .executeTest(async ({ url }) => {
        await fetch(`${url}/order/v2/refund`, {
          method: "PUT",
          headers: {
            ...AUTHORIZED,
            "content-type": "application/json",
            "idempotency-key": "7f9c0d5e-0d0b-4b7c-8f43-7f1f2b1e9d11",
          },
          body: JSON.stringify({
            orderId: "none",
            reason: "changed their mind",
            requestedBy: { name: "Ana", email: "ana@shop.example" },
            amount: "1.00",
          }),
        });
      });
    await pact
      .addAsynchronousInteraction()
      .given("a payout was paid", { externalId: "salary-7" })
      .expectsToReceive("ORDER-PAYOUT.PAID webhook", (message) =>
        message
          .withJSONContent({ event: "ORDER-PAYOUT.PAID", code: "salary-7", id: string("x") })
          .withMetadata({ contentType: "application/json" }),
      )
      .executeTest(async () => {});
    const { code, byName } = await verdicts(dir);
    expect(byName).toEqual({
      "reads the subscription of the state": "passed",
      "refunds the order of the state": "passed",
      "ORDER-PAYOUT.PAID webhook": "passed",
    });
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "pacts of version 3 and 2 are verified too, each interaction with its own verdict",
  async () => {
    const dir = folder();
    const token =
      "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api%3A%2F%2Fapp-order-prd%2F.default";
    const v3 = new PactV3({ ...names, dir, spec: SpecificationVersion.SPECIFICATION_VERSION_V3 });
    v3.given("")
      .uponReceiving("asks for a token with a form")
      .withRequest({
        method: "POST",
        path: "/oauth2/v2.0/token",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: token,
      })
      .willRespondWith({
        status: 200,
        body: { token_type: "Bearer", expires_in: integer(1), access_token: string("x") },
      });
    await v3.executeTest(async ({ url }) => {
      await fetch(`${url}/oauth2/v2.0/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: token,
      });
    });
    const v2 = new PactV2({ ...names, consumer: "kiosk", dir });
    await v2.setup();
    const lists = { method: "GET", path: "/order/v1/banking/accounts", headers: AUTHORIZED } as const;
    await v2.addInteraction({
      state: "an account is closed",
      uponReceiving: "lists accounts",
      withRequest: { ...lists, query: { status: "CLOSED" } },
      willRespondWith: {
        status: 200,
        body: { hasNext: false, data: MatchersV2.eachLike({ id: MatchersV2.uuid(), status: "CLOSED" }) },
      },
    });
    await fetch(`${v2.mockService.baseUrl}${lists.path}?status=CLOSED`, { headers: AUTHORIZED });
    await v2.verify();
    await v2.addInteraction({
      state: "an account is closed",
      uponReceiving: "expects a total that is not there",
      withRequest: lists,
      willRespondWith: { status: 200, body: { total: MatchersV2.like(3) } },
    });
    await fetch(v2.mockService.baseUrl + lists.path, { headers: AUTHORIZED });
    await v2.verify();
    await v2.finalize();
    const { code, byName } = await verdicts(dir);
    expect(byName).toEqual({
      "asks for a token with a form": "passed",
      "lists accounts": "passed",
      "expects a total that is not there": "failed",
    });
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);
