import { fileURLToPath } from "node:url";
import { Pact, MatchersV3 } from "@pact-foundation/pact";
import { expect, test } from "vitest";

/** The code under test: it reads the balance of an account. */
async function balanceOf(platform: string, accountId: string): Promise<string> {
  const answer = await fetch(`${platform}/order/v1/banking/accounts/${accountId}/balance`, {
    headers: { authorization: "Bearer acme-token" },
  });
  const { balance } = (await answer.json()) as { balance: { value: string } };
  return balance.value;
}

const { fromProviderState, regex } = MatchersV3;
const PACTS = fileURLToPath(new URL("pacts", import.meta.url));
const ACCOUNT = "00000000-0000-4000-8000-000000000000";

test("the shop reads a balance", async () => {
  const pact = new Pact({ consumer: "shop", provider: "banking-service", dir: PACTS, logLevel: "error" });
  await pact
    .addInteraction()
    .given("an account has a balance", { deposit: "10.00" })
    .uponReceiving("reads a balance")
    .withRequest(
      "GET",
      fromProviderState(
        "/order/v1/banking/accounts/${accountId}/balance",
        `/order/v1/banking/accounts/${ACCOUNT}/balance`,
      ),
      (request) => request.headers({ authorization: "Bearer acme-token" }),
    )
    .willRespondWith(200, (response) =>
      response.jsonBody({ balance: { currency: "BRL", value: regex(/^\d+\.\d\d$/, "100010.00") } }),
    )
    .executeTest(async ({ url }) => {
      expect(await balanceOf(url, ACCOUNT)).toBe("100010.00");
    });
});
