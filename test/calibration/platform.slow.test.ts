import { calibrated, deviations } from "./traffic.ts";
import { createSandbox } from "../../src/sandbox.ts";
import { createServer } from "node:http";
import { createWriteStream, mkdtempSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { join } from "node:path";
import { once } from "node:events";
import { openRecording } from "../../src/calibration/recording.ts";
import { setTimeout as pause } from "node:timers/promises";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";

const folder = mkdtempSync(join(tmpdir(), "sandbank-platform-"));
const JSON_TYPE = { "content-type": "application/json" };
const BEARER = { authorization: "Bearer acme-token" };

/** A sandbox whose clock runs, behind a recorder in both directions, and a receiver that hangs where it is told to. */
async function recorded(
  assumptions: Readonly<Record<string, unknown>>,
  story: (call: (method: string, path: string, body: unknown) => Promise<unknown>) => Promise<void>,
  hangs = 0,
): Promise<unknown[]> {
  let left = hangs;
  const receiver = createServer((request, response) => {
    request.resume();
    if (left-- > 0) return;
    response.writeHead(200, JSON_TYPE).end('{"returnCode":"OK"}');
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as { port: number };
  await using sandbox = await createSandbox({ mode: "running", assumptions });
  const { url: upstream } = await sandbox.listen();
  const out = join(folder, `${crypto.randomUUID()}.har`);
  const recording = await openRecording({
    upstream,
    port: 0,
    webhooksTo: `http://127.0.0.1:${port}`,
    webhookPort: 0,
    out,
    isRedacted: true,
    secrets: [],
    version: "1",
    onWriteFailure: (error) => expect.unreachable(error.message),
  });
  await sandbox.act("webhook.set-url", { url: `${recording.webhookUrl}/hooks` });
  await story(async (method, path, body) => {
    const response = await fetch(recording.url + path, {
      method,
      headers: { ...JSON_TYPE, ...BEARER, "idempotency-key": crypto.randomUUID() },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeLessThan(300);
    return response.json();
  });
  await recording.close();
  receiver.closeAllConnections();
  receiver.close();
  return (JSON.parse(readFileSync(out, "utf8")) as { log: { entries: unknown[] } }).log.entries;
}

const payout = (externalId: string) => ({
  externalId,
  accountId: "11111111-1111-4111-8111-111111111111",
  paymentMethod: "PIX",
  paymentData: { pixKey: "ok@pix.example" },
  amount: { currency: "BRL", value: "9.00" },
  description: "Invoice 42",
});

test("a platform behind the recorder is recognised by the time that passes on the wall", async () => {
  const platform = { "payout.pix-delay": "PT1S" };
  const entries = await recorded(platform, async (call) => {
    await call("GET", "/order/v1/webhook", undefined);
    for (const id of ["a", "b", "c"]) await call("POST", "/order/v1/banking/order-payouts", payout(id));
    await pause(2_500);
    await call("GET", "/order/v1/banking/accounts", undefined);
  });
  const report = calibrated({ "session.har": entries });
  expect(report.config.assumptions).toEqual(platform);
  expect(deviations(report)).toEqual(["payout.pix-delay"]);
  expect(report.counts).toEqual({ calls: 5, webhooks: 3, otherHosts: 0, unreadable: 0 });
  expect(report.notes).toEqual([]);
  expect(report.shape).toEqual([]);
});

test("a platform that gives up waiting is recognised by how long it waited", async () => {
  const platform = {
    "webhook.timeout": "PT2S",
    "webhook.retry-intervals": ["PT2S", "PT5M", "PT30M", "PT2H"],
  };
  const entries = await recorded(
    platform,
    async (call) => {
      await call("POST", "/order/v1/banking/order-payouts", payout("a"));
      await pause(8_000);
    },
    1,
  );
  const report = calibrated({ "session.har": entries });
  expect(report.config.assumptions).toEqual(platform);
});

test("a file of 200 MB is read in bounded memory", { timeout: 300_000 }, async () => {
  const entries = await recorded({}, async (call) => {
    await call("POST", "/order/v1/banking/order-payouts", payout("a"));
    await pause(2_500);
  });
  const path = join(folder, "large.har");
  const file = createWriteStream(path);
  file.write('{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[');
  const other = (index: number): unknown => ({
    startedDateTime: new Date(index).toISOString(),
    time: 1,
    request: { method: "GET", url: `https://cdn.example/${index}`, headers: [] },
    response: { status: 200, headers: [], content: { text: "x".repeat(20_000) } },
  });
  const whole = entries.map((entry) => JSON.stringify(entry)).join(",");
  for (let bytes = 0, index = 0; bytes < 200_000_000; index++) {
    const text = `${index === 0 ? "" : ","}${index % 2 === 0 ? whole : JSON.stringify(other(index))}`;
    bytes += text.length;
    if (!file.write(text)) await once(file, "drain");
  }
  file.end("]}}");
  await once(file, "finish");
  const child = spawn(process.execPath, ["--max-old-space-size=256", "src/cli/main.ts", "calibrate", path], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect(err).toBe("");
  expect(child.exitCode).toBe(0);
  expect(out).toMatch(/^\d+ assumptions: \d+ confirmed/);
});
