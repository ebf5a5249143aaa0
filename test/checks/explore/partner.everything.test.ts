import { expect, test, type TestContext } from "vitest";
import { blocksOf } from "../../documentation/page.ts";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expectAnswer } from "../../documentation/answer.ts";
import { join, resolve } from "node:path";
import { freePort } from "../../free-port.ts";
import { once } from "node:events";
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { nameOf } from "../../../src/checks/explore/deviations.ts";

const TIMEOUT_MS = 240_000;

/** A story of a page: the bug as a diff of gym.ts, what is shown after it, and the lines of the right program. */
function storyOf(page: string, number = 0) {
  const blocks = blocksOf(page);
  const starts = blocks.flatMap(({ title, language }, index) =>
    language === "diff" && title === "examples/partner/gym.ts" ? [index] : [],
  );
  const own = blocks.slice(starts[number], starts[number + 1]);
  const block = (language: string): string => own.find((one) => one.language === language)?.text ?? "";
  const [right = "", wrong = ""] = block("diff")
    .split("\n")
    .map((line) => line.slice(1).trim());
  return { block, bug: { right, wrong } };
}

type Bug = ReturnType<typeof storyOf>["bug"];

const overwriting = storyOf("docs/explore.md");
const forgetfulOfKeys = storyOf("docs/explore.md", 1);
const wholeRefunds = storyOf("docs/books.md");

/** The example for partners as a program of its own, and the ports of it and of the sandbox that it calls. */
async function openPartner({ onTestFinished }: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "sandbank-partner-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp("examples", join(folder, "examples"), { recursive: true });
  await symlink(resolve("scenarios"), join(folder, "scenarios"));
  const [port, bankPort] = [await freePort(), await freePort()];
  const onPorts = (written: string): string =>
    written.replaceAll("4020", String(port)).replaceAll("4010", String(bankPort));
  const gymFile = join(folder, "examples/partner/gym.ts");
  const gym = await readFile(gymFile, "utf8");
  await writeFile(join(folder, "gym.yaml"), onPorts(overwriting.block("yaml")));
  for (const name of ["month", "day"]) {
    const scenario = join(folder, `examples/partner/${name}.yaml`);
    await writeFile(scenario, onPorts(await readFile(scenario, "utf8")));
  }
  let running: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (running === undefined) return;
    running.kill();
    await once(running, "close");
    running = undefined;
  };
  onTestFinished(stop);
  return {
    folder,
    onPorts,
    /** Starts it, with a bug of the documentation or without, in place of what ran before. */
    start: async (bug?: Bug): Promise<void> => {
      await stop();
      expect(gym).toContain(bug?.right ?? "");
      await writeFile(gymFile, bug === undefined ? gym : gym.replace(bug.right, bug.wrong));
      const env = { ...process.env, PORT: String(port), BANK_URL: `http://127.0.0.1:${bankPort}` };
      const child = spawn(process.execPath, ["examples/partner/main.ts"], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      running = child;
      await once(child.stdout, "data");
    },
    /** A command of the documentation, in the folder of the partner. */
    run: async (command: string): Promise<{ code: number | null; out: string; err: string }> => {
      const program = `'${process.execPath}' '${resolve("src/cli/main.ts")}'`;
      const line = onPorts(command)
        .trim()
        .replace(/^sandbank/, program);
      const env = { ...process.env, PORT: String(port) };
      const child = spawn(line, { cwd: folder, env, shell: true });
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      return { code: child.exitCode, out, err };
    },
  };
}

const RECEIVER = "--receiver http://127.0.0.1:4020/webhooks --reset http://127.0.0.1:4020/reset --settle 5";

test(
  "the bug of the documentation is found as it says, and its replay fails until the bug is fixed",
  async (context) => {
    const { start, run, onPorts } = await openPartner(context);
    const { block } = overwriting;
    // A bug that needs no race is found without sampling races.
    const command = `${block("console").trim()} --settle 5 --repeat 1`;
    await start(overwriting.bug);
    const found = await run(command);
    expectAnswer(onPorts(block("text")), found.out, "text");
    expect(found.code).toBe(1);
    const replay = onPorts("sandbank run explore/gym-late-2.yaml --receiver http://127.0.0.1:4020/webhooks");
    expect(found.out).toContain(replay);
    const failed = await run(replay);
    expect([failed.code, failed.out]).toEqual([
      1,
      expect.stringMatching(/expected \S+COMPLETED, found \S+ACCEPTED/),
    ]);
    await start();
    // The right program survives every deviation: sockets.everything.test.ts explores it, and so does its README.
    expect(await run(replay)).toMatchObject({ code: 0, out: expect.stringContaining("1 passed.") as string });
  },
  TIMEOUT_MS,
);

test(
  "the gym drives: it calls the sandbox, with the bug and without",
  async (context) => {
    const { start, run } = await openPartner(context);
    const command = `sandbank explore examples/partner/month.yaml ${RECEIVER} --port 4010 --depth 1 --only late,twice --beyond-retries --repeat 1`;
    await start(overwriting.bug);
    const found = await run(`${command} --reporter json`);
    const { divergences, verdict } = JSON.parse(found.out) as {
      verdict: string;
      divergences: { deviations: object[]; cause: { code: string }; replay: string }[];
    };
    expect([found.code, verdict, divergences[0]?.deviations]).toEqual([
      1,
      "diverges",
      [{ event: 2, kind: "late" }],
    ]);
    expect(divergences[0]?.cause.code).toBe("older-overwrites-newer");
    await start();
    expect(await run(command)).toMatchObject({
      code: 0,
      out: expect.stringContaining("The state in the end was the same after each.") as string,
    });
  },
  TIMEOUT_MS,
);

test(
  "a key that is not stored pays twice as the documentation says, and the fix survives every call that goes wrong",
  async (context) => {
    const { start, run, onPorts } = await openPartner(context);
    const { block, bug } = forgetfulOfKeys;
    const command = `${block("console").trim()} --settle 5 --repeat 1`;
    await start(bug);
    const found = await run(`${command} --depth 1 --only calls`);
    expectAnswer(onPorts(block("text")), found.out, "text");
    expect(found.code).toBe(1);
    await start();
    const fine = await run(`${command} --budget 50`);
    expect(fine).toMatchObject({
      code: 0,
      out: expect.stringMatching(/50 of \d+ schedules tried, up to 2 .* was the same/) as string,
    });
    expect(fine.out).not.toMatch(/Suspicious calls|calls: /);
  },
  TIMEOUT_MS,
);

test(
  "the gym survives its process being killed at any moment, at a depth of 2",
  async (context) => {
    const { run } = await openPartner(context);
    const [, command = ""] = blocksOf("docs/explore.md").flatMap(({ text: shown }) =>
      shown.includes("day.yaml") && shown.startsWith("sandbank") ? [shown.trim()] : [],
    );
    expect(command).toContain("--partner ");
    const own = command.replace(" node ", ` '${process.execPath}' `).replace(/'(DATA.*?main\.ts)'/, '"$1"');
    // What happens to webhooks and calls alone is tried above.
    const only = "crashes,twice,call-answer-lost";
    const ran = await run(`${own} --settle 5 --repeat 1 --only ${only} --budget 25 --reporter json`);
    const { verdict, divergences, cells, reason } = JSON.parse(ran.out) as ExploreResult;
    expect(divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
    expect([ran.code, verdict, reason]).toEqual([0, "converges", undefined]);
    const crashes = cells.filter(({ kind }) => kind.startsWith("killed"));
    expect(crashes.map(({ result }) => result)).toEqual(crashes.map(() => "ok"));
    expect(crashes.length).toBe(14);
  },
  TIMEOUT_MS,
);

test(
  "the booking error of the documentation is found as it says, and without it the books agree",
  async (context) => {
    const { start, run, onPorts } = await openPartner(context);
    const { block, bug } = wholeRefunds;
    await start(bug);
    const found = await run(block("console"));
    expectAnswer(onPorts(block("text")), found.out, "text");
    expect(found.code).toBe(1);
    await start();
    expect(await run(block("console"))).toMatchObject({ code: 0 });
  },
  TIMEOUT_MS,
);
