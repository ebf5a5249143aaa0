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
 * alone. Prints the table of README.md, each row as soon as it is measured, and JSON in the last line. A measurement
 * takes up to thirty seconds more, until the servers are warm. A run next to all other servers has 27 measurements.
 *
 * node run.ts [seconds for each measurement, default 5] [alone | peers] [servers, such as sandbank,Prism; default: all]
 */
const SECONDS = Number(process.argv[2] ?? 5);
const ONLY = process.argv[3];
const NAMES = process.argv[4]?.split(",");

/** The head of the table in README.md. A cell has requests per second next to the bare server, and µs each. */
const HEAD = ["server", "GET subscription", "list accounts", "POST subscription", "start"];

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
  print(HEAD.map(() => "---"));
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
    const loads: MeasuredServer["loads"] = {};
    for (const [what, asked] of Object.entries(await questions(server, id))) {
      const [base, own] = await loadInTurn([bare, server], asked, SECONDS);
      loads[what] = { ...own, bare: base };
    }
    measured[name] = { startMs: Math.round(server.startMs), residentMb: server.residentMb(), loads };
    print(row(name, server.startMs, Object.values(loads)));
    await server.stop();
  }
  const bareLoads = Object.values(measured).find(({ skipped }) => skipped === undefined)?.loads ?? {};
  const echoLoads = Object.entries(bareLoads).map(([what, { bare: base }]) => [
    what,
    { ...base, bare: base },
  ]);
  const echoed = { startMs: Math.round(bare.startMs), residentMb: bare.residentMb() };
  print(
    row(
      "bare Hono",
      bare.startMs,
      Object.values(bareLoads).map(({ bare: base }) => ({ ...base, bare: base })),
    ),
  );
  await bare.stop();
  rmSync(folder, { recursive: true });
  return {
    echo: { ...echoed, loads: Object.fromEntries(echoLoads) as MeasuredServer["loads"] },
    ...measured,
  };
}

/**
 * Returns the requests to every server. The subscription to read is the subscription of the answers. A server without
 * it creates a subscription.
 */
async function questions({ url }: Server, known: string): Promise<Record<string, (number: number) => Asked>> {
  const first = { method: "POST", headers: HEADERS, body: subscriptionBody("to be read") } as const;
  const found = await fetch(`${url}${SUBSCRIPTIONS}/${known}`, { headers: HEADERS });
  await found.arrayBuffer();
  const created = async (): Promise<string> =>
    ((await (await fetch(url + SUBSCRIPTIONS, first)).json()) as { id: string }).id;
  const id = found.ok ? known : await created();
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

function row(name: string, startMs: number, loads: readonly MeasuredServer["loads"][string][]): string[] {
  const cells = loads.map(({ perSecond, processorUs, failed, bare }) => {
    const figures = `${(perSecond / bare.perSecond).toFixed(2)} · ${Math.round(processorUs)}`;
    return failed === 0 ? figures : `${figures} (${failed} failed)`;
  });
  return [name, ...cells, String(Math.round(startMs))];
}

/** Prints a row of a Markdown table. */
function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}
