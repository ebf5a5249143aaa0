import { expect, test } from "vitest";
import { httpInteraction, jsonBody, messageInteraction, pactFile } from "./pact.ts";
import { type InteractionResult, runVerifier } from "../../src/contracts/verification/run-verifier.ts";
import { serve } from "../cli/command.ts";

const TIMEOUT_MS = 60_000;

async function makeWorld(url: string): Promise<{ readonly token: string; readonly accountId: string }> {
  const response = await fetch(`${url}/sandbox/worlds`, { method: "POST", body: "{}" });
  const { companies } = (await response.json()) as {
    companies: readonly { readonly token: string; readonly accounts: readonly string[] }[];
  };
  return { token: companies[0]?.token ?? "", accountId: companies[0]?.accounts[0] ?? "" };
}

/** The official verifier with nothing but the endpoints, as a partner of another language runs it. */
async function verifiedBy(url: string, token: string, file: string): Promise<InteractionResult[]> {
  const all: InteractionResult[] = [];
  const job = {
    provider: "banking-service",
    providerBaseUrl: url,
    pactUrls: [file],
    providerStatesSetupUrl: `${url}/sandbox/pact/states`,
    transports: [{ protocol: "message", port: Number(new URL(url).port), path: "/sandbox/pact/messages" }],
    customProviderHeaders: { Authorization: `Bearer ${token}` },
    logLevel: "error" as const,
  };
  await runVerifier([job], (results) => all.push(...results));
  return all;
}

test(
  "verifiers that share a server are independent: each sends the token of a world of its own",
  async () => {
    await using server = await serve("--frozen");
    const runs = await Promise.all(
      ["10.00", "25.00"].map(async (deposit) => {
        const { token, accountId } = await makeWorld(server.url);
        const value = (100_000 + Number(deposit)).toFixed(2);
        const state = [{ name: "an account has a balance", params: { deposit } }];
        const file = pactFile(
          ...[1, 2, 3].map((number) =>
            httpInteraction(`reads a balance, ${number}`, {
              providerStates: state,
              request: { path: `/order/v1/banking/accounts/${accountId}/balance`, headers: {} },
              response: { body: jsonBody({ balance: { currency: "BRL", value } }) },
            }),
          ),
          messageInteraction("ORDER-PAYOUT.PAID", { event: "ORDER-PAYOUT.PAID" }),
        );
        return verifiedBy(server.url, token, file);
      }),
    );
    expect(runs.map((results) => results.map(({ result }) => result))).toEqual([
      ["OK", "OK", "OK", "OK"],
      ["OK", "OK", "OK", "OK"],
    ]);
  },
  TIMEOUT_MS,
);
