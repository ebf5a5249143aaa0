import { ACCOUNTS, HEADERS, peers, sandbank, SUBSCRIPTIONS } from "./peers.ts";
import { join } from "node:path";
import { type Asked, loadInTurn, type Measured } from "./load.ts";
import { measureAlone } from "./alone.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { type Server, startServer } from "./server.ts";
import { subscriptionBody } from "./bodies.ts";
import { tmpdir } from "node:os";

/**
 * Measures sandbank in one run next to a bare Hono server with the same bytes and to other mock servers, and then
 * alone. Prints each row as soon as it is measured, and JSON in the last line. Each measurement takes one to five
 * seconds more, until the server is warm. A run next to all other servers has thirty measurements.
 *
 * node run.ts [seconds for each measurement, default 5] [alone | peers] [servers, such as sandbank,Prism; default: all]
 */
const SECONDS = Number(process.argv[2] ?? 5);
const ONLY = process.argv[3];
const NAMES = process.argv[4]?.split(",");

const HEAD = [
  "server",
  "request",
  "per s",
  "ratio",
  "µs each",
  "ratio",
  "p99 ms",
  "failed",
  "start ms",
  "MB",
];

/** A measured server, or the reason for leaving it out. */
interface MeasuredServer {
  readonly startMs?: number;
  readonly residentMb?: number;
  readonly skipped?: string;
  /** The figures of each request, with the figures of the bare server that was asked the same in turn. */
  readonly loads: Record<string, Measured & { readonly bare: Measured }>;
}

const compared = ONLY === "alone" ? {} : await measurePeers();
const alone = ONLY === "peers" ? {} : await measureAlone();
for (const [name, figure] of Object.entries(alone))
  process.stdout.write(`${name.padEnd(56)}${String(figure).padStart(10)}\n`);
process.stdout.write(
  `${JSON.stringify({ node: process.version, seconds: SECONDS, peers: compared, alone })}\n`,
);
process.exit(0);

async function measurePeers(): Promise<Record<string, MeasuredServer>> {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-bench-"));
  const own = await startServer(sandbank());
  const ask = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> =>
    (await (await fetch(own.url + path, { headers: HEADERS, ...init })).json()) as Record<string, unknown>;
  const created = await ask(SUBSCRIPTIONS, { method: "POST", body: subscriptionBody("the first") });
  const id = String(created["id"]);
  const answers = {
    created,
    subscription: await ask(`${SUBSCRIPTIONS}/${id}`),
    accounts: await ask(ACCOUNTS),
  };
  await own.stop();
  const { echo, ...others } = peers(folder, answers);
  const bare = await startServer(echo());
  print(HEAD);
  const programs = {
    sandbank: () => sandbank(),
    "sandbank --data": () => sandbank("--data", join(folder, "data.json")),
    ...others,
  };
  const measured: Record<string, MeasuredServer> = {};
  for (const [name, program] of Object.entries(programs)) {
    if (NAMES !== undefined && !NAMES.includes(name)) continue;
    let server: Server;
    try {
      server = await startServer(program());
    } catch (error) {
      measured[name] = { skipped: (error as Error).message, loads: {} };
      print([name, `skipped: ${(error as Error).message}`]);
      continue;
    }
    const memory = [Math.round(server.startMs), server.residentMb()];
    const loads: MeasuredServer["loads"] = {};
    for (const [what, asked] of Object.entries(await questions(server))) {
      const [base, own] = await loadInTurn([bare, server], asked, SECONDS);
      loads[what] = { ...own, bare: base };
      const { perSecond, processorUs, p99Ms } = own;
      const ratio = (perSecond / base.perSecond).toFixed(2);
      const processorRatio = (base.processorUs / processorUs).toFixed(2);
      print([name, what, perSecond, ratio, processorUs, processorRatio, p99Ms, own.failed, ...memory]);
    }
    measured[name] = { startMs: Math.round(server.startMs), residentMb: server.residentMb(), loads };
    await server.stop();
  }
  const bareLoads = Object.values(measured).find(({ skipped }) => skipped === undefined)?.loads ?? {};
  const echoLoads = Object.entries(bareLoads).map(([what, { bare: base }]) => [
    what,
    { ...base, bare: base },
  ]);
  const echoed = { startMs: Math.round(bare.startMs), residentMb: bare.residentMb() };
  await bare.stop();
  rmSync(folder, { recursive: true });
  return {
    echo: { ...echoed, loads: Object.fromEntries(echoLoads) as MeasuredServer["loads"] },
    ...measured,
  };
}

/** Returns the requests to every server. A server with state reads a subscription that it has created itself. */
async function questions({ url }: Server): Promise<Record<string, (number: number) => Asked>> {
  const first = { method: "POST", headers: HEADERS, body: subscriptionBody("to be read") } as const;
  const { id } = (await (await fetch(url + SUBSCRIPTIONS, first)).json()) as { id: string };
  return {
    "GET subscription": () => ({ method: "GET", path: `${SUBSCRIPTIONS}/${id}`, headers: HEADERS }),
    "GET accounts": () => ({ method: "GET", path: ACCOUNTS, headers: HEADERS }),
    "POST subscription": (number) => ({
      ...first,
      path: SUBSCRIPTIONS,
      body: subscriptionBody(`subscription-${number}`),
    }),
  };
}

function print(cells: readonly (string | number)[]): void {
  const padded = cells.map((cell, at) => (at < 2 ? String(cell).padEnd(20) : String(cell).padStart(9)));
  process.stdout.write(`${padded.join(" ")}\n`);
}
