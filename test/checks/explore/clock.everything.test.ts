import { afterEach, beforeEach, expect, test } from "vitest";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { freePort } from "../../free-port.ts";
import { join, resolve } from "node:path";
import { sandbank } from "../../cli/command.ts";
import { tmpdir } from "node:os";
import { nameOf } from "../../../src/checks/explore/deviations.ts";
import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";

const TIMEOUT_MS = 240_000;

let folder = "";
let port = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbank-clock-"));
  port = await freePort();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Plays an order and a day and a half with a system that reminds of it after a day, which the command starts. */
async function played(command: "run" | "explore", bug: string, more: readonly string[]) {
  const base = `http://127.0.0.1:${port}`;
  const scenario = join(folder, "orders.yaml");
  await rm(join(folder, "data.json"), { force: true });
  const lines = [
    "name: An order is reminded of",
    "start: 2026-06-20T09:00:00-03:00",
    "steps:",
    `  - request: POST ${base}/orders`,
    '    body: { order: "order-${run}", amount: "100.00" }',
    "  - advance: PT36H",
    "probe:",
    `  url: ${base}/order-\${run}`,
    "  settle: PT0.02S",
    ...(command === "run"
      ? ['  state: { orderedAt: "2026-06-20T12:00:00.000Z", remindedAt: "2026-06-21T12:00:00.000Z" }']
      : []),
  ];
  await writeFile(scenario, lines.join("\n"));
  const program = resolve("test/partners/payer-program.ts");
  const partner = `'${process.execPath}' '${program}' ${port} '${join(folder, "data.json")}' '{}' '${bug}'`;
  const started = ["--partner", partner, "--partner-ready", `${base}/ready`, ...more];
  const args = [command, scenario, "--receiver", `${base}/webhooks`, "--reporter", "json", ...started];
  return sandbank(...args);
}

test(
  "a system that run starts with --clock reminds at the exact instant, and on real time without it",
  async () => {
    const followed = await played("run", "none", ["--clock"]);
    expect([followed.code, followed.err]).toEqual([0, ""]);
    const stamped = await played("run", "stamps by the database", ["--clock"]);
    expect([stamped.code, stamped.out]).toEqual([
      1,
      expect.stringContaining("$.remindedAt is wall time. Does the database set it?"),
    ]);
    const alone = await played("run", "none", []);
    expect([alone.code, alone.out]).toEqual([1, expect.stringContaining("probe.remindedAt")]);
    expect(alone.out).not.toContain("wall time");
  },
  TIMEOUT_MS,
);

test(
  "explore --clock restarts the system for each run, and finds a timer that is forgotten when the process is killed",
  async () => {
    const options = ["--clock", "--only", "crashes,late", "--depth", "1", "--repeat", "1"];
    const right = JSON.parse((await played("explore", "none", options)).out) as ExploreResult;
    expect([right.verdict, right.ignored, right.divergences]).toEqual(["converges", [], []]);
    const wrong = JSON.parse((await played("explore", "forgets reminders", options)).out) as ExploreResult;
    expect(wrong.divergences.map(({ deviations }) => nameOf(deviations)).toSorted()).toEqual([
      "killed-after-answer-1",
      "killed-after-call-1",
      "killed-before-answer-1",
      "killed-in-call-1",
    ]);
    const [{ differences, replay } = { differences: [], replay: "" }] = wrong.divergences;
    expect(differences).toEqual([
      { path: "$.remindedAt", baseline: "2026-06-21T12:00:00.000Z", found: null },
    ]);
    expect(replay).toMatch(/^sandbank run explore\/orders-killed-\S+ .*--partner .*--clock/);
  },
  TIMEOUT_MS,
);

test("--clock without a system to start is refused, and --partner with the worlds of a server", async () => {
  const run = async (...args: string[]): Promise<string> => {
    const { code, err } = await sandbank("run", "scenarios", ...args);
    return `${code} ${err}`;
  };
  expect(await run("--clock")).toMatch(/^2 .*partner/s);
  const started = ["--partner", "node gym.js", "--partner-ready", "http://127.0.0.1:1/"];
  expect(await run(...started, "--target", "http://127.0.0.1:1")).toContain(
    "--partner starts your system with a sandbox in this process. Leave it or --target out.",
  );
});
