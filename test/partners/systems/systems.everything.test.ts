import { afterAll, beforeAll, expect, test } from "vitest";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { freePort } from "../../free-port.ts";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Finished, sandbankProcess } from "../../cli/command.ts";
import { tmpdir } from "node:os";
import type { Certificate } from "../../../src/checks/certification/certificate.ts";
import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { type Flaw, here, type UsualSystem, usualSystems } from "./systems.ts";

const TIMEOUT_MS = 420_000;

/** `npm run judge:systems` judges by all tools, in about twenty minutes. The usual suite judges by `run`. */
const IS_WHOLE = process.env["SANDBANK_SYSTEMS"] === "all";

/** The names of the judgements that were undecided. */
const undecided: string[] = [];

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sandbank-systems-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
  const found = undecided.length === 0 ? "none" : undecided.join("; ");
  process.stderr.write(`Undecided judgements of usual systems: ${found}.\n`);
});

let folders = 0;

/** A system in a folder of its own, at free ports. `judged` runs a command with the flags that start it. */
async function placed(system: UsualSystem, flaw = "") {
  const folder = join(root, String(++folders));
  await mkdir(folder);
  const ports = await Promise.all(system.ports.map(() => freePort()));
  const written = await readFile(join(here, system.scenario), "utf8");
  const atPorts = system.ports.reduce(
    (text, port, index) => text.replaceAll(String(port), String(ports[index])),
    written,
  );
  const scenario = join(folder, "scenario.yaml");
  await writeFile(scenario, atPorts);
  const base = `http://127.0.0.1:${ports[0]}`;
  const webhooks = base + system.webhooks;
  const started = ["--partner", `export FLAW='${flaw}'; ${system.start(folder, ports)}`];
  started.push("--partner-ready", base + system.ready);
  const emptied = ["--reset", base + system.reset];
  return {
    folder,
    scenario,
    webhooks,
    probe: /url: (\S+)/.exec(atPorts)?.[1] ?? "",
    judged: (command: readonly string[], { isEmptied = true } = {}): Promise<Finished> =>
      sandbankProcess(...command, ...started, ...(isEmptied ? emptied : [])),
  };
}

/** Checks the receiver of a system without the checks that only its speed can decide. */
async function receiverChecked(system: UsualSystem, flaw?: string): Promise<Finished> {
  const { judged, webhooks, probe } = await placed(system, flaw);
  const only = ["S1", "S2", "R1", "I1", "I2", "E1"].flatMap((id) => ["--only", id]);
  const command = ["receiver", "check", webhooks, "--probe", probe, ...(flaw === undefined ? [] : only)];
  return judged(command, { isEmptied: false });
}

async function explored(system: UsualSystem, more: readonly string[], flaw?: string): Promise<ExploreResult> {
  const { judged, scenario, webhooks } = await placed(system, flaw);
  const command = ["explore", scenario, "--receiver", webhooks, "--depth", "1", "--repeat", "2"];
  const { out, err } = await judged([...command, "--reporter", "json", ...more]);
  if (out === "") throw new Error(`explore wrote no report. ${err}`);
  return JSON.parse(out) as ExploreResult;
}

/** Judges a system with a flaw. Returns `named`, `undecided`, or what was found in place of the flaw. */
async function judgedFlaw(system: UsualSystem, name: string, flaw: Flaw): Promise<string> {
  if (flaw.by === "explore") {
    const { verdict, divergences } = await explored(
      system,
      ["--only", flaw.only, ...(flaw.more ?? [])],
      name,
    );
    if (verdict === "undecided") return verdict;
    const others = divergences.filter(({ cause }) => !flaw.causes.some((one) => one === cause.code));
    if (divergences.length > 0 && others.length === 0) return "named";
    return `${verdict}: ${others.map(({ title, cause }) => `${title}: ${cause.code}`).join("; ")}`;
  }
  const { scenario, webhooks, judged } = await placed(system, name);
  const { code, out } = await (flaw.by === "run"
    ? judged(["run", scenario, "--receiver", webhooks])
    : receiverChecked(system, name));
  if (code === 2) return "undecided";
  return flaw.says.test(out) ? "named" : out;
}

/** True if the machine has the language. Says so in one line if not. */
function isThere({ language, check: [program = "", ...args] }: UsualSystem): boolean {
  const found = spawnSync(program, args).status === 0;
  if (!found) process.stderr.write(`Skipped: the usual system in ${language}, which this machine lacks.\n`);
  return found;
}

for (const system of usualSystems.filter(isThere)) {
  const { language, build } = system;
  const flaws = Object.entries(system.flaws).filter(([, { by }]) => IS_WHOLE || by === "run");
  beforeAll(async () => {
    const { of, command } = build?.(root) ?? {};
    if (command !== undefined)
      await promisify(execFile)(command[0] ?? "", command.slice(1), { cwd: of, timeout: 90_000 });
  }, 100_000);

  test.concurrent(
    `explore accuses no right system in ${language}`,
    { timeout: TIMEOUT_MS, skip: !IS_WHOLE },
    async () => {
      const { verdict, divergences, reason, time } = await explored(system, []);
      process.stderr.write(`${language}: ${JSON.stringify(time)}\n`);
      expect(divergences).toEqual([]);
      expect(["converges", "undecided"]).toContain(verdict);
      if (verdict === "undecided")
        undecided.push(`explore, ${language}, right: ${reason ?? "not all of its schedules"}`);
    },
  );

  test.concurrent(
    `run accuses no right system in ${language}`,
    async () => {
      const { scenario, webhooks, judged } = await placed(system);
      const ran = await judged(["run", scenario, "--receiver", webhooks]);
      expect([ran.code, ran.out]).toEqual([0, expect.stringContaining("1 passed.")]);
    },
    TIMEOUT_MS,
  );

  test.concurrent(
    `receiver check and certify accuse no right system in ${language}`,
    { timeout: TIMEOUT_MS, skip: !IS_WHOLE },
    async () => {
      const { folder, scenario, webhooks, probe, judged } = await placed(system);
      const out = join(folder, "report.html");
      const command = ["certify", "--receiver", webhooks, "--probe", probe, "--scenarios", scenario];
      const { err } = await judged([...command, "--out", out]);
      const report = JSON.parse(await readFile(out.replace("html", "json"), "utf8")) as Certificate;
      const failed = report.parts.filter(({ verdict }) => verdict === "failed");
      expect([failed, failed.length === 0 ? "" : err]).toEqual([[], ""]);
      for (const { name, verdict, summary } of report.parts)
        if (verdict !== "passed") undecided.push(`certify, ${language}, right: ${name}: ${summary}`);
    },
  );

  test.concurrent.each(flaws)(
    `in ${language}, a system with the flaw "%s" is named by its own cause`,
    async (name, flaw) => {
      const found = await judgedFlaw(system, name, flaw);
      if (found === "undecided") undecided.push(`${language}, ${name}`);
      expect(["named", "undecided"]).toContain(found);
    },
    TIMEOUT_MS,
  );
}
