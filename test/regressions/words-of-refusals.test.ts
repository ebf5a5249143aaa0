import { askPayout, reais } from "../simulator/platform/payouts/payout-requests.ts";
import { detail, openPartner } from "../partner.ts";
import { expect, test } from "vitest";

/** Refusals whose sentence was not true of what they had refused, or named nothing. */
test("the refusal of a PIX key does not claim that a CNPJ has only digits", async () => {
  await using partner = await openPartner();
  const answered = await askPayout(partner, { paymentData: { pixKey: "1A2B3C4D000178" } });
  expect(detail(answered, "paymentData.pixKey")["description"]).toContain(
    "a CPF or CNPJ without punctuation",
  );
});

test.each(["999999999999999", "1.123456789"])(
  "the refusal of the amount %s names the valid amounts",
  async (value) => {
    await using partner = await openPartner();
    const answered = await askPayout(partner, { amount: reais(value) });
    const { description } = detail(answered, "amount.value");
    expect(description).toContain(
      "at most ten digits before the point and the decimals of its currency after it",
    );
  },
);

test("the refusal of a token request with an empty content type reports that it has none", async () => {
  await using partner = await openPartner();
  const asked = { token: null, body: "grant_type=client_credentials", headers: { "content-type": "" } };
  const { body } = await partner.ask("POST", "/oauth2/v2.0/token", asked);
  expect(body["error_description"]).toContain("found none.");
});
