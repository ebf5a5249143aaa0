import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { join } from "node:path";
import { mkdtempSync, writeFileSync } from "node:fs";
import { sandbank } from "../cli/command.ts";
import { tmpdir } from "node:os";
import type { VerificationReport } from "../../src/contracts/verification/report.ts";

/** Pacts as files, of every version of the format: what is right passes, and what is wrong fails with a reason. */
const TIMEOUT_MS = 60_000;
const AUTHORIZED = { Authorization: "Bearer acme-token" };
const ACCOUNTS = { method: "get", path: "/order/v1/banking/accounts", headers: AUTHORIZED };
const CLOSED = { ...ACCOUNTS, query: "status=CLOSED" };

afterEach(() => {
  vi.unstubAllEnvs();
});

function written(pacts: Readonly<Record<string, object>>): string {
  const folder = mkdtempSync(join(tmpdir(), "versions-"));
  for (const [version, pact] of Object.entries(pacts)) {
    const named = { consumer: { name: `shop-${version}` }, provider: { name: "banking-service" } };
    const metadata = { pactSpecification: { version: version.split("-")[0] } };
    writeFileSync(join(folder, `${version}.json`), JSON.stringify({ ...named, ...pact, metadata }));
  }
  return folder;
}

async function verify(folder: string, ...more: readonly string[]) {
  const { out, code } = await sandbank("contracts", "verify", folder, "--reporter", "json", ...more);
  const { pacts } = JSON.parse(out) as VerificationReport;
  const all = pacts.flatMap(({ interactions }) => interactions);
  return {
    code,
    verdicts: Object.fromEntries(all.map(({ description, verdict }) => [description, verdict])),
    reasons: Object.fromEntries(all.map(({ description, reasons }) => [description, reasons.join(" ")])),
  };
}

const first = {
  interactions: [
    {
      description: "1: lists what is closed",
      provider_state: "an account is closed",
      request: CLOSED,
      response: { status: 200, body: { hasNext: false } },
    },
  ],
};

const second = {
  interactions: [
    {
      description: "2: lists what is closed",
      providerState: "an account is closed",
      request: CLOSED,
      response: {
        status: 200,
        body: { data: [{ id: "x", status: "CLOSED" }] },
        matchingRules: { "$.body.data": { min: 1 }, "$.body.data[*].id": { match: "type" } },
      },
    },
    {
      description: "2: another type",
      request: ACCOUNTS,
      response: {
        status: 200,
        body: { hasNext: "no" },
        matchingRules: { "$.body.hasNext": { match: "type" } },
      },
    },
    {
      description: "2: an unknown state",
      providerState: "an account is shut",
      request: ACCOUNTS,
      response: { status: 200 },
    },
  ],
};

const third = {
  interactions: [
    {
      description: "3: several states",
      providerStates: [
        { name: "a payout was paid", params: { amount: "10.00" } },
        { name: "an account has a balance", params: { deposit: "5.00" } },
      ],
      request: { ...ACCOUNTS, path: `${ACCOUNTS.path}/11111111-1111-4111-8111-111111111111/balance` },
      response: { status: 200, body: { balance: { currency: "BRL", value: "99995.00" } } },
    },
    {
      description: "3: a state's values in path and body",
      providerStates: [{ name: "an order was paid" }],
      request: {
        method: "PUT",
        path: "/order/v2/refund",
        headers: {
          ...AUTHORIZED,
          "Content-Type": "application/json",
          "idempotency-key": "4a6f1d34-7a5e-4d34-9f0e-2d1e6f3c9b11",
        },
        body: {
          orderId: "none",
          reason: "too late",
          requestedBy: { name: "Ana", email: "ana@shop.example" },
          amount: "1.00",
        },
        generators: {
          body: { "$.orderId": { type: "ProviderState", expression: "${orderId}", dataType: "STRING" } },
        },
      },
      response: { status: 200, body: { status: "INITIAL" } },
    },
    {
      description: "3: a form",
      request: {
        method: "POST",
        path: "/oauth2/v2.0/token",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api%3A%2F%2Fapp-order-prd%2F.default",
      },
      response: { status: 200, body: { token_type: "Bearer" } },
    },
    {
      description: "3: a param of another type",
      providerStates: [{ name: "a payout was paid", params: { externalId: 5 } }],
      request: ACCOUNTS,
      response: { status: 200 },
    },
    {
      description: "3: a param that is none",
      providerStates: [{ name: "a payout was paid", params: { externlId: "x" } }],
      request: ACCOUNTS,
      response: { status: 200 },
    },
    {
      description: "3: no token",
      request: { method: "GET", path: "/order/v1/webhook" },
      response: { status: 200 },
    },
  ],
};

const messages = {
  messages: [
    {
      description: "ORDER-PAYOUT.PAID reaches the shop",
      providerStates: [{ name: "a payout was paid", params: { externalId: "mine" } }],
      contents: { event: "ORDER-PAYOUT.PAID", code: "mine" },
      metaData: { contentType: "application/json" },
    },
    {
      description: "ORDER-PAYOUT.ERROR that says something else",
      contents: { event: "ORDER-PAYOUT.ERROR", status: "PAID" },
      metaData: { contentType: "application/json" },
    },
  ],
};

test(
  "pacts of versions 1 to 3 are verified, behind a proxy too, each interaction with its own verdict",
  async () => {
    const folder = written({
      "1.0.0": first,
      "2.0.0": second,
      "3.0.0": third,
      "3.0.0-messages": messages,
    });
    for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "http://127.0.0.1:9");
    // The worker keeps its environment for the next file.
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, verdicts, reasons } = await verify(folder);
    expect(verdicts).toEqual({
      "1: lists what is closed": "passed",
      "2: lists what is closed": "passed",
      "2: another type": "failed",
      "2: an unknown state": "failed",
      "3: several states": "passed",
      "3: a state's values in path and body": "passed",
      "3: a form": "passed",
      "3: a param of another type": "failed",
      "3: a param that is none": "failed",
      "3: no token": "failed",
      "ORDER-PAYOUT.PAID reaches the shop": "passed",
      "ORDER-PAYOUT.ERROR that says something else": "failed",
    });
    expect(code).toBe(1);
    expect(reasons["2: an unknown state"]).toContain('Did you mean "an account is closed"');
    expect(reasons["3: a param of another type"]).toContain("`externalId` must be a string");
    expect(reasons["3: a param that is none"]).toContain("Did you mean `externalId`?");
    expect(reasons["3: no token"]).toContain("The pact sends no token.");
  },
  TIMEOUT_MS,
);

test(
  "--token is added where a pact has none, but not where the pact expects a 401",
  async () => {
    const path = "/order/v1/webhook";
    const folder = written({
      "3.0.0": {
        interactions: [
          {
            description: "reads",
            request: { method: "GET", path: ACCOUNTS.path },
            response: { status: 200 },
          },
          { description: "is rejected", request: { method: "GET", path }, response: { status: 401 } },
        ],
      },
    });
    const { code, verdicts } = await verify(folder, "--token", "acme-token");
    expect(verdicts).toEqual({ reads: "passed", "is rejected": "passed" });
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);
