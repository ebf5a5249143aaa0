import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { stringify } from "yaml";
import type { ExploreResult } from "../../src/checks/explore/exploration.ts";
import type { AddressInfo } from "node:net";
import { commandLine } from "../../src/server/control/shell.js";
import { createServer } from "node:http";
import { once } from "node:events";
import { readScenarios } from "../../src/scenarios/scenario-files.ts";
import { signatureOf } from "../../src/simulator/api/signature.ts";
import { freePort } from "../free-port.ts";
import { life } from "../partners/scenarios.ts";
import { receiver } from "../partners/receiver.ts";
import { serve } from "../partners/served.ts";
import { sandbank } from "./command.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbank-explore-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function scenarioFile(changed: object = {}): Promise<string> {
  const file = join(folder, "life.yaml");
  await writeFile(file, stringify({ ...life, ...changed }));
  return file;
}

const flagsOf = (url: string): string[] => [
  "--receiver",
  `${url}/webhooks`,
  "--probe",
  `${url}/state`,
  "--settle",
  "5",
];

const schedulesOf = ({ divergences }: ExploreResult): string[] =>
  divergences.map(({ deviations }) => deviations.map(({ kind, event }) => `${kind}-${event}`).join(" "));

test("--reset-command empties the system before each run, and one that fails ends the exploration", async () => {
  await using system = await serve(receiver({ recognition: "none" }));
  const counter = join(folder, "resets.txt");
  const script = join(folder, "reset.mjs");
  await writeFile(
    script,
    `import { appendFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(counter)}, "reset\\n");
     await fetch(process.argv[2], { method: "POST" });`,
  );
  const args = ["explore", await scenarioFile(), ...flagsOf(system.url), "--only", "twice", "--depth", "1"];
  const command = `"${process.execPath}" "${script}" ${system.url}/reset`;
  const { code, out } = await sandbank(...args, "--reset-command", command, "--reporter", "json");
  const result = JSON.parse(out) as ExploreResult;
  expect([code, schedulesOf(result)[0], result.schedules.tried]).toEqual([1, "twice-1", 6]);
  // Six schedules and two baselines; a divergence may be played again to find its cause.
  const resets = (await readFile(counter, "utf8")).trim().split("\n").length;
  expect(resets).toBeGreaterThanOrEqual(8);
  expect(result.divergences[0]?.replay).toContain(`--reset-command '${command}'`);
  const failing = `"${process.execPath}" -e "console.error('the database is away'); process.exit(3)"`;
  const failed = await sandbank(...args, "--reset-command", failing);
  expect([failed.code, failed.out]).toEqual([2, expect.stringContaining("the database is away")]);
}, 120_000);

test("junit has a case for each deviation of each event, and --dashboard writes the HTML report and prints its name", async () => {
  await using system = await serve(receiver({ recognition: "none" }));
  const page = join(folder, "page.html");
  const { code, out, err } = await sandbank(
    "explore",
    await scenarioFile(),
    ...flagsOf(system.url),
    "--reset",
    `${system.url}/reset`,
    "--only",
    "twice,late",
    "--depth",
    "1",
    "--reporter",
    "junit",
    "--beyond-retries",
    "--dashboard",
    page,
  );
  expect([code, err]).toEqual([1, expect.stringContaining(`Wrote the HTML report to ${page}.\n`)]);
  expect(await readFile(page, "utf8")).toMatch(/^<!doctype html>.*Not idempotent/s);
  const cases = Array.from(out.matchAll(/<testcase name="([^"]+)"/g), ([, name]) => name);
  expect(cases).toEqual(expect.arrayContaining(["twice on event 1", "twice on event 6", "late on event 1"]));
  expect(out).toMatch(/<testsuite [^>]*tests="11" failures="6"/);
  expect(out).toMatch(/<failure message="[^"]*: 6 in the baseline, 7 here\. Not idempotent[^"]*"/);
}, 120_000);

test("a probe whose address names the run needs no reset, and its cause is found as with one", async () => {
  await using system = await serve(receiver({ order: "last arrival" }));
  const file = await scenarioFile({ probe: { url: `${system.url}/state/\${charge.id}` } });
  const { code, out } = await sandbank(
    "explore",
    file,
    "--receiver",
    `${system.url}/webhooks`,
    "--settle",
    "5",
    "--only",
    "late",
    "--beyond-retries",
    "--depth",
    "1",
    "--reporter",
    "json",
  );
  const result = JSON.parse(out) as ExploreResult;
  expect([code, schedulesOf(result)[0]]).toEqual([1, "late-2"]);
  expect(result.divergences[0]?.cause.code).toBe("older-overwrites-newer");
}, 120_000);

test("books that part in the baseline are played again with the flags of the exploration, a reset included", async () => {
  await using system = await serve(receiver({ recognition: "none" }));
  const probe = { url: `${system.url}/state/\${order.id}`, books: { totals: { received: "$.nothing" } } };
  const order = { call: "createTransparentOrder", body: { $use: "order.pix" }, save: "order" };
  const file = await scenarioFile({ probe, steps: [order, { act: "order.pay", on: "${order.id}" }] });
  const address = `${system.url}/webhooks`;
  const port = String(await freePort());
  const args = ["explore", file, "--receiver", address, "--port", port, "--settle", "5", "--only", "twice"];
  const explored = [...args, "--depth", "1", "--budget", "1", "--reporter", "json"];
  const replayOf = async (...more: readonly string[]): Promise<string | undefined> => {
    const { out } = await sandbank(...explored, ...more);
    return (JSON.parse(out) as ExploreResult).divergences[0]?.replay;
  };
  const flags = `--receiver ${address} --port ${port}`;
  expect(await replayOf()).toBe(`sandbank run ${file} ${flags}`);
  const saved = await replayOf("--reset", `${system.url}/reset`, "--save", folder);
  expect(saved).toBe(`sandbank run ${folder}/life-baseline.yaml ${flags}`);
  expect(await readFile(join(folder, "life-baseline.yaml"), "utf8")).toContain(`POST ${system.url}/reset`);
}, 120_000);

test("what saves a divergence has every flag that decides what is tried, and the saved file the times", async () => {
  await using system = await serve(receiver({ recognition: "none" }));
  const port = await freePort();
  const program = `require("node:http").createServer((_, answer) => answer.end()).listen(${port}, "127.0.0.1")`;
  const started = [
    ["--partner", commandLine(["exec", process.execPath, "-e", program])],
    ["--partner-ready", `http://127.0.0.1:${port}/`],
    ["--partner-timeout", "20000"],
  ].flat();
  const searched = [
    ["--ignore", "$.none", "--ignore", "$.other", "--depth", "1", "--budget", "9", "--time", "PT100S"],
    ["--only", "killed-before-answer,twice", "--without", "late", "--with", "call-slow", "--repeat", "1"],
    [
      "--slow",
      "300",
      "--beyond-retries",
      "--reset",
      `${system.url}/reset`,
      "--port",
      String(await freePort()),
    ],
    ["--kill-delay", "40", "--settle", "5", "--seed", "3"],
  ].flat();
  const at = ["--receiver", `${system.url}/webhooks`];
  const shown = ["--probe", `${system.url}/state`];
  const file = await scenarioFile({ steps: life.steps.slice(0, 2) });
  const args = ["explore", file, ...at, ...started, ...shown, ...searched];
  const { out } = await sandbank(...args, "--reporter", "json");
  const replays = (JSON.parse(out) as ExploreResult).divergences.map(({ replay }) => replay);
  const saving = commandLine(["sandbank", ...args, "--save", "explore"]);
  expect(replays).toContainEqual(expect.stringContaining(`(saved by: ${saving})`));
  await sandbank(...args, "--save", folder);
  const killed = readScenarios([join(folder, "life-killed-before-answer-1.yaml")]);
  expect(killed[0]?.deviations).toEqual([
    { event: 1, kind: "killed-before-answer", by: "PT0.04S", repeat: 1 },
  ]);
}, 120_000);

test("--dashboard refuses another kind of file before anything is tried", async () => {
  const args = ["explore", await scenarioFile(), ...flagsOf("http://127.0.0.1:1")];
  const { code, out, err } = await sandbank(...args, "--dashboard", "life.yaml");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain('--dashboard must be an HTML file such as explore.html; found "life.yaml".');
});

test("a receiver with a secret of its own is reached by explore and run, by flag or variable; a wrong signature stays wrong", async () => {
  const secret = "a-secret-of-its-own";
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray());
      const isRight = request.headers["x-signature-sha256"] === signatureOf(secret, body);
      if (request.method === "POST") seen.push(isRight ? "right" : "wrong");
      response.writeHead(isRight || request.method === "GET" ? 200 : 401).end('{"up":true}');
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = await scenarioFile({
    steps: [
      { fault: { on: "webhook", effect: "bad-signature", nth: 1, attempt: 1 } },
      ...life.steps.slice(0, 2),
    ],
  });
  const ran = await sandbank({ env: { SANDBANK_WEBHOOK_SECRET: secret } }, "run", file, "--receiver", url);
  expect([ran.code, seen]).toEqual([0, ["wrong"]]);
  const plain = await scenarioFile({ steps: life.steps.slice(0, 2) });
  seen.length = 0;
  const args = ["--receiver", url, "--probe", url, "--settle", "1", "--only", "twice", "--depth", "1"];
  const explored = await sandbank("explore", plain, ...args, "--secret", secret);
  expect([explored.code, new Set(seen)]).toEqual([0, new Set(["right"])]);
  const without = await sandbank("explore", plain, ...args);
  expect([without.code, without.out]).toEqual([2, expect.stringContaining("401")]);
  server.close();
  server.closeAllConnections();
}, 60_000);
