import { certify, folder } from "./certified.ts";
import type { Certificate } from "../../src/checks/certification/certificate.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
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
  async (context) => {
    const out = folder(context);
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

test("Ctrl-C writes the report with the results so far: exit 2", { timeout: TIMEOUT_MS }, async (context) => {
  const out = folder(context);
  const controller = new AbortController();
  // It never answers.
  const receiver = createServer(() => controller.abort()).listen(0, "127.0.0.1");
  onTestFinished(() => void receiver.close());
  onTestFinished(() => receiver.closeAllConnections());
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const report = join(out, "report.html");
  const url = `http://127.0.0.1:${port}/`;
  const words = ["certify", "--receiver", url, "--scenarios", "scenarios/accounts", "--out", report];
  const child = spawn(process.execPath, ["src/cli/main.ts", ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const err = text(child.stderr);
  await once(controller.signal, "abort");
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number | null];
  const { verdict, parts } = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as Certificate;
  expect([code, verdict]).toEqual([2, "not-judged"]);
  expect(await err).toContain("Interrupted: the results so far follow.");
  const interrupted = "The command was interrupted before its end.";
  expect(parts.map(({ name, reasons }) => [name, reasons[0]])).toEqual([
    ["receiver", interrupted],
    ["scenarios", interrupted],
  ]);
  expect(readFileSync(report, "utf8")).toContain(interrupted);
});
