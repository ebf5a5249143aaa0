import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buggyReceiver, SECRET } from "../partners/buggy-receiver.ts";
import { type IncomingHttpHeaders, createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { rmSync, writeFileSync } from "node:fs";
import { hasPackage } from "../find-program.ts";
import { payoutBody } from "../partner.ts";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { emptyProject, installWithNpm, outside, start } from "./consumer.ts";
import { pathToFileURL } from "node:url";

/** Writes the headers of the webhook of a paid payout, as the library sends it. */
const LIBRARY = `
import { createServer } from "node:http";
import { once } from "node:events";
import { createSandbox } from "sandbank";
const got = [];
const server = createServer((request, response) => {
  got.push(request.headers);
  request.resume().on("end", () => response.end());
}).listen(0, "127.0.0.1");
await once(server, "listening");
const sandbox = await createSandbox({ seed: 7 });
await sandbox.sendWebhooksTo("http://127.0.0.1:" + server.address().port + "/webhooks");
await sandbox.call("createPayout", {
  externalId: "p", accountId: sandbox.company("acme").account, paymentMethod: "PIX",
  paymentData: { pixKey: "ok@pix.example" }, amount: { currency: "BRL", value: "10.00" }, description: "x",
});
await sandbox.advance("PT1M");
process.stdout.write(JSON.stringify(got));
process.exit(0);
`;

const OPEN_TELEMETRY = `
import { createRequire, register } from "node:module";
const require = createRequire(${JSON.stringify(outside("x.js"))});
register(${JSON.stringify(pathToFileURL(outside("@opentelemetry/instrumentation/hook.mjs")).href)}, import.meta.url);
const { NodeSDK } = require("@opentelemetry/sdk-node");
const { HttpInstrumentation } = require("@opentelemetry/instrumentation-http");
const { UndiciInstrumentation } = require("@opentelemetry/instrumentation-undici");
new NodeSDK({ instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()] }).start();
`;

/** A webhook endpoint that keeps the headers of each webhook. */
async function openEndpoint() {
  const arrived: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    arrived.push(request.headers);
    request.resume().on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    arrived,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** No tracer finds its collector here. */
const QUIET = {
  DD_TRACE_STARTUP_LOGS: "false",
  DD_INSTRUMENTATION_TELEMETRY_ENABLED: "false",
  DD_REMOTE_CONFIGURATION_ENABLED: "false",
  DD_TRACE_AGENT_URL: "http://127.0.0.1:9",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  OTEL_METRICS_EXPORTER: "none",
  OTEL_LOGS_EXPORTER: "none",
};

let folder: string;
let receiver: Awaited<ReturnType<typeof buggyReceiver>>;

beforeAll(async () => {
  folder = emptyProject();
  await installWithNpm(folder);
  writeFileSync(join(folder, "library.mjs"), LIBRARY);
  writeFileSync(join(folder, "open-telemetry.mjs"), OPEN_TELEMETRY);
  receiver = await buggyReceiver();
}, 240_000);

afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

for (const [tracer, module, needed] of [
  ["dd-trace", outside("dd-trace/initialize.mjs"), "dd-trace"],
  ["OpenTelemetry", "./open-telemetry.mjs", "@opentelemetry/sdk-node"],
] as const) {
  const hasTracer = hasPackage(needed);
  const surroundings = () => ({ cwd: folder, env: { ...QUIET, SANDBANK_WEBHOOK_SECRET: SECRET } });
  const node = (...args: readonly string[]) =>
    start(process.execPath, ["--import", module, ...args], surroundings());

  test.skipIf(!hasTracer)(
    `a webhook keeps its headers beside those of ${tracer}`,
    async () => {
      const { out, err } = await node("library.mjs");
      const [headers] = JSON.parse(out || JSON.stringify([{ err }])) as [object];
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "x-signature-sha256": expect.stringMatching(/^sha256=[0-9a-f]{64}$/u) as string,
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/u) as string,
      });
    },
    60_000,
  );

  test.skipIf(!hasTracer)(
    `receiver check under ${tracer} accuses no right receiver`,
    async () => {
      const command = ["node_modules/sandbank/dist/cli/main.js", "receiver", "check", receiver.url];
      const { status, out, err } = await node(...command, "--allow-inconclusive");
      expect({ status, shown: out + err }).toMatchObject({
        status: 0,
        shown: expect.not.stringMatching(/^✗/mu),
      });
    },
    120_000,
  );

  test.skipIf(!hasTracer)(
    `serve under ${tracer} answers, keeps the headers of its webhooks, and ends with 0`,
    async () => {
      await using endpoint = await openEndpoint();
      const { cwd, env } = surroundings();
      const flags = ["--port", "0", "--frozen", "--webhook-url", endpoint.url];
      const command = ["--import", module, "node_modules/sandbank/dist/cli/main.js", "serve", ...flags];
      const child = spawn(process.execPath, command, { cwd, env: { ...process.env, ...env } });
      onTestFinished(() => void child.kill("SIGKILL"));
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const [url = ""] = /http:\S+/.exec(String(line)) ?? [];
      const ask = (path: string, body: object): Promise<Response> =>
        fetch(url + path, {
          method: "POST",
          headers: {
            authorization: "Bearer acme-token",
            "content-type": "application/json",
            "idempotency-key": "k-1",
          },
          body: JSON.stringify(body),
        });
      expect((await ask("/order/v1/banking/order-payouts", payoutBody())).status).toBe(201);
      expect((await ask("/sandbox/clock/advance", { by: "PT1M" })).status).toBe(200);
      expect(endpoint.arrived).toMatchObject([
        {
          "content-type": "application/json",
          "x-signature-sha256": expect.stringMatching(/^sha256=[0-9a-f]{64}$/u) as string,
          traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/u) as string,
        },
      ]);
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    },
    60_000,
  );
}
