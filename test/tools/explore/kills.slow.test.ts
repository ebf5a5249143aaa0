import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect } from "node:net";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { freePort } from "../../free-port.ts";
import { join, resolve } from "node:path";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import type { ExploreResult } from "../../../src/tools/explore/exploration.ts";
import { nameOf } from "../../../src/tools/explore/deviations.ts";

const TIMEOUT_MS = 240_000;

let folder = "";
let port = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbank-kills-"));
  port = await freePort();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Explores a partner's system that the command starts and kills. */
async function explored(bug: string, more: readonly string[], command?: string): Promise<Ran> {
  const scenario = join(folder, "orders.yaml");
  const base = `http://127.0.0.1:${port}`;
  const lines = [
    "name: An order is paid out",
    "start: 2026-11-20T09:00:00-03:00",
    "assumptions: { payout.pix-delay: PT30M }",
    "steps:",
    `  - request: POST ${base}/orders`,
    '    body: { order: "order-${run}" }',
    "  - advance: PT1H",
  ];
  await writeFile(scenario, lines.join("\n"));
  const program = resolve("test/tools/explore/partner-program.ts");
  const own = `'${process.execPath}' '${program}' ${port} '${join(folder, "data.json")}' '${bug}'`;
  const partner = command ?? own;
  const args = ["explore", scenario, "--receiver", `${base}/webhooks`, "--probe", `${base}/state`];
  const started = ["--reset", `${base}/reset`, "--partner", partner, "--partner-ready", `${base}/ready`];
  const child = spawn(process.execPath, [
    resolve("src/cli/main.ts"),
    ...args,
    ...started,
    "--settle",
    "20",
    "--depth",
    "1",
    ...more,
  ]);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, err };
}

function resultOf({ out }: Ran): ExploreResult {
  return JSON.parse(out) as ExploreResult;
}

async function isListening(): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test(
  "a system that stores first survives every kill and every call that goes wrong, and nothing of it is left",
  async () => {
    const ran = await explored("none", ["--reporter", "json", "--repeat", "2"]);
    const { verdict, divergences, cells, notTried } = resultOf(ran);
    expect(divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
    expect([ran.code, verdict]).toEqual([0, "converges"]);
    const crashes = cells.filter(({ kind }) => kind.startsWith("killed"));
    expect(crashes.map(({ kind, result }) => [kind, result])).toEqual([
      ["killed-before-answer", "ok"],
      ["killed-after-answer", "ok"],
      ["killed-in-call", "ok"],
      ["killed-after-call", "ok"],
    ]);
    expect(notTried.join()).not.toMatch(/crashes|calls/);
    expect(await isListening()).toBe(false);
  },
  TIMEOUT_MS,
);

describe("a bug that only a kill shows is found, and named by its cause", () => {
  test.each([
    [
      "stores late",
      "killed-in-call,killed-after-call",
      "killed-in-call-1",
      /^The id was not stored before the process died/,
    ],
    [
      "marks first",
      "crashes",
      "killed-before-answer-1",
      /^The event is marked as handled before its work is committed/,
    ],
    ["answers first", "crashes", "killed-after-answer-1", /^Acknowledged before it was stored/],
  ])(
    "one that %s, with %s: %s",
    async (bug, only, schedule, cause) => {
      const ran = await explored(bug, ["--only", only, "--reporter", "json"]);
      const [first] = resultOf(ran).divergences;
      expect([ran.code, nameOf(first?.deviations ?? []), first?.cause]).toEqual([
        1,
        schedule,
        expect.stringMatching(cause),
      ]);
    },
    TIMEOUT_MS,
  );
});

test(
  "a token that was renewed in one run is not refused in the next, so each call is disturbed at its own time",
  async () => {
    const ran = await explored("stores late", [
      "--only",
      "token-expired,killed-in-call",
      "--reporter",
      "json",
    ]);
    expect(resultOf(ran).cells.map(({ kind, result }) => [kind, result])).toEqual([
      ["token-expired", "ok"],
      ["killed-in-call", "diverged"],
    ]);
  },
  TIMEOUT_MS,
);

test(
  "a system that does not start shows its last lines, and is exit code 2",
  async () => {
    const ran = await explored("none", ["--partner-timeout", "PT0.5S"], "echo no database; sleep 60");
    expect(ran.code).toBe(2);
    expect(ran.out).toMatch(/did not answer with 2xx within 500 ms .* Its last lines:\nno database/);
    const ended = await explored("none", [], "echo bad flag >&2; exit 3");
    expect(ended.out).toMatch(/it ended with exit code 3\. Its last lines:\nbad flag/);
  },
  TIMEOUT_MS,
);

test(
  "an interrupted exploration leaves no process behind",
  async () => {
    const running = explored("none", []);
    while (!(await isListening())) await new Promise(setImmediate);
    const child = await readFile(`/proc/self/task/${process.pid}/children`, "utf8");
    for (const pid of child.trim().split(" ")) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (command.includes("main.ts") && command.includes(folder)) process.kill(Number(pid), "SIGTERM");
    }
    await running;
    // A killed process gives its port back a moment later.
    await expect.poll(isListening, { timeout: 5_000 }).toBe(false);
  },
  TIMEOUT_MS,
);
