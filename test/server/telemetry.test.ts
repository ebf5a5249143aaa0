import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { globSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { freePort } from "../free-port.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { json } from "node:stream/consumers";
import { openPartner, type Partner, payoutBody, subscriptionBody } from "../partner.ts";
import { readTelemetry } from "../../src/server/telemetry-setting.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;

const KEY = "0f0d6b0e-4a1f-4b7e-8f3f-5d1d2a9c8b70";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

/** Starts a collector on this machine that keeps the spans, and names it in the environment. */
async function collector(): Promise<{ readonly spans: Span[]; readonly types: Set<string> }> {
  const spans: Span[] = [];
  const types = new Set<string>();
  const server = createServer((request, response) => {
    types.add(`${request.url} ${request.headers["content-type"]}`);
    async function take(): Promise<void> {
      const { resourceSpans } = (await json(request)) as Export;
      spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
      response.setHeader("content-type", "application/json").end("{}");
    }
    void take();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
  onTestFinished(() => void vi.unstubAllEnvs());
  return { spans, types };
}

async function payOut(partner: Partner, traceparent?: string): Promise<void> {
  const headers = traceparent === undefined ? {} : { traceparent };
  const path = "/order/v1/banking/order-payouts";
  const { status } = await partner.ask("POST", path, { body: payoutBody(), key: KEY, headers });
  expect(status).toBe(201);
  await partner.advance("PT5M");
}

function traceparents(partner: Partner): (string | undefined)[] {
  return partner.receiver.received.map(({ headers }) => headers["traceparent"]);
}

test("the webhooks, the timeline and the deliveries of a call are in its trace", async () => {
  await using partner = await openPartner();
  await payOut(partner, TRACEPARENT);
  const sent = traceparents(partner);
  expect(sent.length).toBeGreaterThan(0);
  for (const header of sent) expect(header).toMatch(new RegExp(`^00-${TRACE}-(?!${CALLER})[0-9a-f]{16}-01$`));
  const deliveries = await partner.sandbox.deliveries();
  expect(deliveries.map(({ traceparent }) => traceparent)).toEqual(deliveries.map(() => TRACEPARENT));
  const attempts = deliveries.flatMap(({ attempts }) => attempts as { requestHeaders: object }[]);
  expect(
    attempts.map(({ requestHeaders }) => (requestHeaders as Record<string, string>)["traceparent"]),
  ).toEqual(sent);
  const { body } = await partner.ask("GET", "/sandbox/timeline");
  const lines = body["data"] as { cause: { by: string }; traceparent?: string }[];
  const traced = lines.filter(({ traceparent }) => traceparent === TRACEPARENT);
  expect(traced.length).toBeGreaterThan(deliveries.length);
});

test("a restored world keeps the traces of its calls", async () => {
  await using partner = await openPartner();
  await payOut(partner, TRACEPARENT);
  const snapshot = await partner.sandbox.snapshot();
  await partner.sandbox.restore(snapshot["id"]);
  const deliveries = await partner.sandbox.deliveries();
  expect(deliveries.map(({ traceparent }) => traceparent)).toEqual(deliveries.map(() => TRACEPARENT));
});

test("a call without the header has no trace, and its journal has the same digest", async () => {
  await using traced = await openPartner();
  await using plain = await openPartner();
  await payOut(traced, TRACEPARENT);
  await payOut(plain);
  expect(traceparents(plain)).toEqual(traceparents(traced).map(() => undefined));
  expect(plain.sandbox.digest()).toBe(traced.sandbox.digest());
  expect(JSON.stringify(await plain.sandbox.deliveries())).not.toContain("traceparent");
  const { body } = await plain.ask("GET", "/sandbox/timeline");
  expect(JSON.stringify(body)).not.toContain("traceparent");
});

test.each([
  `00-${TRACE}-${CALLER}`,
  `00-${"0".repeat(32)}-${CALLER}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `ff-${TRACE}-${CALLER}-01`,
  `00-${TRACE}-${CALLER}-01-more`,
  `00-${TRACE.toUpperCase()}-${CALLER}-01`,
  "nonsense",
])("the wrong header %s is ignored, as W3C says", async (traceparent) => {
  await using partner = await openPartner();
  await payOut(partner, traceparent);
  expect(new Set(traceparents(partner))).toEqual(new Set([undefined]));
});

function attribute(span: Span, key: string): unknown {
  const { value = {} } = span.attributes.find((one) => one.key === key) ?? {};
  return Object.values(value)[0];
}

test("a collector gets calls, timers, webhooks and retries as spans of one trace", async () => {
  const { spans, types } = await collector();
  const began = Date.now();
  const partner = await openPartner();
  partner.receiver.script([500]);
  const { status } = await partner.ask("POST", "/order/v1/banking/order-payouts", {
    body: payoutBody(),
    key: KEY,
    headers: { traceparent: TRACEPARENT },
  });
  expect(status).toBe(201);
  await partner.advance("PT2H");
  await partner.sandbox.close();
  const ended = Date.now();
  expect([...types]).toEqual(["/v1/traces application/json"]);
  const ours = spans.filter(({ traceId }) => traceId === TRACE);
  const byName = Map.groupBy(ours, ({ name }) => name);
  const call = byName.get("call createPayout")?.[0];
  expect(call).toMatchObject({ parentSpanId: CALLER, kind: 2, status: { code: 0 } });
  const timer = ours.find(({ name }) => name.startsWith("timer "));
  expect(timer?.parentSpanId).toBe(call?.spanId);
  const webhook = ours.find(({ name }) => /^webhook (?!retry)/.test(name));
  expect(webhook).toMatchObject({ kind: 3, status: { code: 2 } });
  expect(attribute(webhook!, "http.response.status_code")).toBe(500);
  const retry = ours.find(({ name }) => name.startsWith("webhook retry "));
  expect(retry).toMatchObject({ kind: 3, status: { code: 0 } });
  expect(attribute(retry!, "sandbank.attempt")).toBe(2);
  expect(attribute(retry!, "sandbank.time")).toMatch(/^2026-11-20T1[234]:/);
  const sent = partner.receiver.received.map(({ headers }) => headers["traceparent"]);
  const attempts = ours.filter(({ name }) => name.startsWith("webhook "));
  expect(new Set(attempts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`))).toEqual(new Set(sent));
  const known = new Set([CALLER, ...ours.map(({ spanId }) => spanId)]);
  expect(ours.filter(({ parentSpanId = "" }) => !known.has(parentSpanId))).toEqual([]);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(Number(startTimeUnixNano) / 1e6).toBeGreaterThanOrEqual(began - 1);
    expect(Number(endTimeUnixNano) / 1e6).toBeLessThanOrEqual(ended + 1);
  }
});

test("with a collector, a call without the header begins a trace, and its webhooks get no header", async () => {
  const { spans } = await collector();
  const partner = await openPartner();
  const path = "/order/v1/banking/subscriptions";
  await partner.ask("POST", path, { body: subscriptionBody() });
  await payOut(partner);
  const digest = partner.sandbox.digest();
  await partner.sandbox.close();
  expect(new Set(traceparents(partner))).toEqual(new Set([undefined]));
  const calls = spans.filter(({ name }) => name.startsWith("call "));
  expect(calls.map(({ name }) => name)).toEqual(["call createSubscription", "call createPayout"]);
  expect(new Set(calls.map(({ traceId }) => traceId)).size).toBe(2);
  expect(
    spans.some(({ name, traceId }) => name.startsWith("webhook ") && traceId === calls[1]?.traceId),
  ).toBe(true);
  vi.unstubAllEnvs();
  await using plain = await openPartner();
  await plain.ask("POST", path, { body: subscriptionBody() });
  await payOut(plain);
  expect(plain.sandbox.digest()).toBe(digest);
});

test("a collector that is gone or hangs fails no call, and delays the end by two seconds at most", async () => {
  const hanging = createServer(() => undefined);
  await once(hanging.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => hanging.closeAllConnections());
  onTestFinished(() => void hanging.close());
  onTestFinished(() => void vi.unstubAllEnvs());
  const { port } = hanging.address() as AddressInfo;
  const gone = await freePort();
  for (const collectorPort of [gone, port]) {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${collectorPort}`);
    const partner = await openPartner();
    await payOut(partner);
    const began = performance.now();
    await partner.sandbox.close();
    expect(performance.now() - began).toBeLessThan(4_000);
  }
});

test("a wrong variable is one sentence with the found value and the fix", () => {
  const at = "OTEL_EXPORTER_OTLP_ENDPOINT";
  expect(readTelemetry({ [at]: "localhost:4318" })).toEqual({
    mistake: `${at} is "localhost:4318", which is not a URL. Write one such as http://127.0.0.1:4318.`,
  });
  expect(readTelemetry({ [at]: "http://127.0.0.1:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toEqual({
    mistake:
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc". Spans are sent by http/protobuf or http/json: set one of them, and the port of your collector for HTTP (usually 4318).',
  });
  expect(readTelemetry({ [at]: "" })).toBeUndefined();
  expect(readTelemetry({ [at]: "http://127.0.0.1:4318", OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  expect(readTelemetry({ [at]: "http://127.0.0.1:4318" })).toEqual({ protocol: "http/protobuf" });
});

test("OpenTelemetry is loaded by one dynamic import, which nothing but a collector asks for", () => {
  const naming = globSync("src/**/*.{ts,js}").filter((file) =>
    /from "@opentelemetry\//.test(readFileSync(file, "utf8")),
  );
  expect(naming.toSorted()).toEqual(["src/server/span-exporter.ts", "src/server/telemetry.ts"]);
  const lines = globSync("src/**/*.{ts,js}").flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/^(?!import type ).*\/(?:telemetry|span-exporter)\.ts".*/gm),
      ([line]) => [file, line.trim()],
    ),
  );
  expect(lines).toEqual([
    ["src/server/telemetry.ts", 'import { exporterOf } from "./span-exporter.ts";'],
    ["src/library/parts.ts", 'const { Telemetry: Opened } = await import("../server/telemetry.ts");'],
  ]);
});
