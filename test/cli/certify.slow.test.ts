import { certify, folder } from "./certified.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { expect, test } from "vitest";
import { payoutBody } from "../partner.ts";
import { sandbank } from "./command.ts";

const TIMEOUT_MS = 120_000;

test.each([
  [[], "certify requires your receiver, or the sandbox that your client calls, or both."],
  [["--explore", "a.yaml", "--target", "http://127.0.0.1:9"], "--explore and --scenarios require --receiver"],
  [["--target", "http://127.0.0.1:9", "--capabilities", "payout"], "Did you mean payouts?"],
  [["--receiver", "http://127.0.0.1:9/", "--out", "report.pdf"], "--out must be an HTML file"],
])("certify %j is wrong use: exit 2", async (flags, sentence) => {
  const { code, err } = await sandbank("certify", ...flags);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});

test(
  "a client is judged without a receiver: its suspicious calls, and only what it is about is missing",
  { timeout: TIMEOUT_MS },
  async () => {
    const out = folder();
    await using sandbox = await createSandbox();
    const { url } = await sandbox.listen();
    const pay = (key: string, headers: object = {}): Promise<Response> =>
      fetch(`${url}/order/v1/banking/order-payouts`, {
        method: "POST",
        headers: { authorization: "Bearer acme-token", "idempotency-key": key, ...headers },
        body: JSON.stringify(payoutBody()),
      });
    await pay("k0", { authorization: "Bearer nobody" });
    const refused = await certify(out, "--target", url);
    expect(refused.code).toBe(2);
    expect(refused.certificate.parts[0]?.reasons).toEqual([
      "Every call of the client was refused (createPayout 401 UNAUTHORIZED): correct it, and run it again.",
    ]);
    await pay("k1");
    // What a command of sandbank calls is not the client's.
    await pay("k2", { "user-agent": "sandbank" });
    const flags = [
      "--target",
      url,
      "--capabilities",
      "payouts",
      "--partner-name",
      "Ana & Co",
      "--lang",
      "pt-BR",
    ];
    const right = await certify(out, ...flags, "--date", "2026-11-23");
    expect([right.code, right.certificate]).toMatchObject([
      0,
      { verdict: "passed", partner: "Ana & Co", date: "2026-11-23" },
    ]);
    expect(right.certificate.parts[0]?.summary).toBe(
      "1 of 1 operations called, 1 of 2 calls refused; 0 of 3 events handled.",
    );
    expect(right.certificate.missing.join(" ")).toContain("The receiver never handled ORDER-PAYOUT.PAID.");
    expect(right.certificate.missing.join(" ")).not.toContain("createSubscription");
    expect(right.certificate.repeat[0]).toMatch(
      /^sandbank certify --partner-name 'Ana & Co' --capabilities payouts --lang pt-BR --date 2026-11-23 --settle 5 --target \S+ --seed \d+ --out \S+$/,
    );
    expect(right.page).toContain('<html lang="pt-BR">');
    expect(right.page).toContain(
      "A integração de Ana &amp; Co com a plataforma de pagamentos foi verificada em 2026-11-23",
    );
    await pay("k3");
    const wrong = await certify(out, ...flags);
    expect(wrong.code).toBe(1);
    expect(wrong.certificate.parts[0]?.reasons.join(" ")).toContain(
      "createPayout was carried out twice for payout-1",
    );
  },
);
