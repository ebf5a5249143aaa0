import { connectSandbox } from "../../src/library/connect-sandbox.ts";
import { detail, openPartner } from "../partner.ts";
import { expect, test } from "vitest";
import { sandbank } from "../cli/command.ts";

const URL_WITH_PASSWORD = "http://me:pass-word@receiver.example/hook";

test.each([
  ["serve", "--port", "0", "--webhook-url", URL_WITH_PASSWORD],
  ["trigger", "ORDER-PAYOUT.PAID", "--target", URL_WITH_PASSWORD],
  ["tail", "--target", URL_WITH_PASSWORD],
  ["run", "scenarios/payouts", "--target", URL_WITH_PASSWORD],
  ["receiver", "check", URL_WITH_PASSWORD],
])("%s refuses a URL with a password at once, and does not print it", async (...line) => {
  const { code, err, out } = await sandbank(...line);
  expect(code).toBe(2);
  expect(err).toContain("must be without a user and a password");
  expect(out + err).not.toContain("pass-word");
});

test("a world, its settings and an act refuse a webhook URL with a password", async () => {
  await using partner = await openPartner();
  const asks = [
    partner.ask("POST", "/sandbox/worlds", { body: { webhookUrl: URL_WITH_PASSWORD } }),
    partner.ask("PATCH", "/sandbox/settings", { body: { webhookUrl: URL_WITH_PASSWORD } }),
    partner.ask("POST", "/sandbox/acts/webhook.set-url", { body: { id: "acme", url: URL_WITH_PASSWORD } }),
  ];
  for (const [index, answer] of (await Promise.all(asks)).entries()) {
    expect(answer.status).toBe(400);
    expect(detail(answer, index === 2 ? "url" : "webhookUrl")["description"]).toContain(
      "without a user and a password",
    );
  }
});

test("a connection to a sandbox refuses a URL with a password, and does not print it", async () => {
  const message = await connectSandbox("http://me:pass-word@127.0.0.1:4010").then(
    () => "connected",
    (error: Error) => error.message,
  );
  expect(message).toContain("its URL has a user or a password");
  expect(message).not.toContain("pass-word");
});
