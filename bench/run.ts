import type { Asked, Measured } from "./load.ts";
import { load } from "./load.ts";
import { measureAlone } from "./alone.ts";
import { join } from "node:path";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { startServer } from "./server.ts";
import { subscriptionBody } from "./bodies.ts";
import { tmpdir } from "node:os";

/** Measures sandbank beside a bare Hono server with the same bytes, in one run; prints a table, and JSON at the end. */
const SECONDS = Number(process.argv[2] ?? 5);
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
const ACCOUNTS = "/order/v1/banking/accounts";
const headers = { authorization: "Bearer acme-token", "content-type": "application/json" };

const folder = mkdtempSync(join(tmpdir(), "sandbank-bench-"));
const serve = [
  "../dist/cli/main.js",
  "serve",
  "--port",
  "0",
  "--frozen",
  "--start",
  "2026-11-20T09:00:00-03:00",
];
const sandbank = await startServer(serve);
const durable = await startServer([...serve, "--data", join(folder, "data.json"), "--log-level", "warn"]);

async function answerOf(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  return (await (await fetch(sandbank.url + path, { headers, ...init })).json()) as Record<string, unknown>;
}
const { id } = await answerOf(SUBSCRIPTIONS, { method: "POST", body: subscriptionBody("the first") });
const subscription = await answerOf(`${SUBSCRIPTIONS}/${String(id)}`);
const accounts = await answerOf(ACCOUNTS);
writeFileSync(join(folder, "answers.json"), JSON.stringify({ subscription, accounts }));
const echo = await startServer(["echo.ts", join(folder, "answers.json")]);

const get = (path: string) => (): Asked => ({ method: "GET", path, headers });
const post =
  (path: string) =>
  (number: number): Asked => ({
    method: "POST",
    path,
    headers,
    body: subscriptionBody(`subscription-${number}`),
  });
const rows: Record<string, Measured & { readonly ratio: number }> = {};
for (const [name, bare, asked] of [
  ["GET subscription", get("/subscriptions/x"), get(`${SUBSCRIPTIONS}/${String(id)}`)],
  ["GET accounts", get("/accounts"), get(ACCOUNTS)],
  ["POST subscription", post("/subscriptions"), post(SUBSCRIPTIONS)],
] as const) {
  const base = await load(echo.url, bare, SECONDS);
  const own = await load(sandbank.url, asked, SECONDS);
  rows[`${name}, echo`] = { ...base, ratio: 1 };
  rows[name] = { ...own, ratio: ratio(own, base) };
  if (name !== "POST subscription") continue;
  const kept = await load(durable.url, asked, SECONDS);
  rows[`${name}, on disk`] = { ...kept, ratio: ratio(kept, base) };
}
const processes = {
  echo: { startMs: Math.round(echo.startMs), residentMb: echo.residentMb() },
  sandbank: { startMs: Math.round(sandbank.startMs), residentMb: sandbank.residentMb() },
};
for (const server of [sandbank, durable, echo]) await server.stop();
rmSync(folder, { recursive: true });

const alone = await measureAlone();
process.stdout.write(`${table(rows)}\n`);
for (const [name, { startMs, residentMb }] of Object.entries(processes))
  process.stdout.write(`${name}: listening after ${startMs} ms, ${residentMb} MB after the load\n`);
for (const [name, figure] of Object.entries(alone)) process.stdout.write(`${name}: ${figure}\n`);
process.stdout.write(`${JSON.stringify({ rows, processes, alone })}\n`);

function ratio(own: Measured, base: Measured): number {
  return Math.round((own.perSecond / base.perSecond) * 100) / 100;
}

function table(all: typeof rows): string {
  const lines = Object.entries(all).map(([name, { perSecond, p99Ms, failed, ratio: share }]) =>
    [
      name.padEnd(28),
      String(perSecond).padStart(8),
      String(p99Ms).padStart(8),
      share.toFixed(2).padStart(6),
      String(failed).padStart(7),
    ].join(" "),
  );
  return [
    [
      "what".padEnd(28),
      "per s".padStart(8),
      "p99 ms".padStart(8),
      "ratio".padStart(6),
      "failed".padStart(7),
    ].join(" "),
    ...lines,
  ].join("\n");
}
