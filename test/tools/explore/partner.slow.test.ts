import { afterEach, expect, test } from "vitest";
import { blocksOf } from "../../documentation/page.ts";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expectAnswer } from "../../documentation/answer.ts";
import { join, resolve } from "node:path";
import { freePort } from "../../free-port.ts";
import { once } from "node:events";
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";

const TIMEOUT_MS = 240_000;

/** The story of docs/explore.md: the bug as a diff, the scenario, the command and what it prints. */
const story = blocksOf("docs/explore.md");
const block = (language: string): string => story.find((one) => one.language === language)?.text ?? "";
const [fixed = "", bug = ""] = block("diff")
  .split("\n")
  .map((line) => line.slice(1).trim());

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

/** The example for partners as a program of its own, and the ports of it and of the sandbox that it calls. */
async function openPartner() {
  const folder = await mkdtemp(join(tmpdir(), "sandbank-partner-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  await cp("examples", join(folder, "examples"), { recursive: true });
  await symlink(resolve("scenarios"), join(folder, "scenarios"));
  const [port, bankPort] = [await freePort(), await freePort()];
  const onPorts = (written: string): string =>
    written.replaceAll("4020", String(port)).replaceAll("4010", String(bankPort));
  const gymFile = join(folder, "examples/partner/gym.ts");
  const gym = await readFile(gymFile, "utf8");
  expect(gym).toContain(fixed);
  await writeFile(join(folder, "gym.yaml"), onPorts(block("yaml")));
  const month = join(folder, "examples/partner/month.yaml");
  await writeFile(month, onPorts(await readFile(month, "utf8")));
  let running: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (running === undefined) return;
    running.kill();
    await once(running, "close");
    running = undefined;
  };
  cleanups.push(stop);
  return {
    folder,
    onPorts,
    /** Starts it, with the bug of the documentation or without, in place of what ran before. */
    start: async ({ hasBug }: { hasBug: boolean }): Promise<void> => {
      await stop();
      await writeFile(gymFile, hasBug ? gym.replace(fixed, bug) : gym);
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
      const [, ...args] = onPorts(command).trim().split(" ");
      const child = spawn(process.execPath, [resolve("src/cli/main.ts"), ...args], { cwd: folder });
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      return { code: child.exitCode, out, err };
    },
  };
}

const RECEIVER = "--receiver http://127.0.0.1:4020/webhooks --reset http://127.0.0.1:4020/reset --settle 5";

test(
  "the bug of the documentation is found as it says, and its replay fails until the bug is fixed",
  async () => {
    const { start, run, onPorts } = await openPartner();
    await start({ hasBug: true });
    const found = await run(`${block("console").trim()} --settle 5`);
    expectAnswer(onPorts(block("text")), found.out, "text");
    expect(found.code).toBe(1);
    const replay = onPorts("sandbank run explore/late-2.yaml --receiver http://127.0.0.1:4020/webhooks");
    expect(found.out).toContain(replay);
    const failed = await run(replay);
    expect([failed.code, failed.out]).toEqual([
      1,
      expect.stringMatching(/expected \S+COMPLETED, found \S+ACCEPTED/),
    ]);
    await start({ hasBug: false });
    expect(await run(replay)).toMatchObject({ code: 0, out: expect.stringContaining("1 passed.") as string });
    const fine = await run(`${block("console").trim()} --settle 5`);
    expect([fine.code, fine.out]).toEqual([0, expect.stringContaining("195 of 195 schedules tried")]);
  },
  TIMEOUT_MS,
);

test(
  "the gym drives: it calls the sandbox, with the bug and without",
  async () => {
    const { start, run } = await openPartner();
    const command = `sandbank explore examples/partner/month.yaml ${RECEIVER} --port 4010 --depth 1 --only webhooks --beyond-retries`;
    await start({ hasBug: true });
    const found = await run(`${command} --reporter json`);
    const { divergences, verdict } = JSON.parse(found.out) as {
      verdict: string;
      divergences: { deviations: object[]; cause: string; replay: string }[];
    };
    expect([found.code, verdict, divergences[0]?.deviations]).toEqual([
      1,
      "diverges",
      [{ event: 2, kind: "late" }],
    ]);
    expect(divergences[0]?.cause).toMatch(/^The last arrival wins/);
    await start({ hasBug: false });
    expect(await run(command)).toMatchObject({
      code: 0,
      out: expect.stringContaining("The state in the end was the same after each.") as string,
    });
  },
  TIMEOUT_MS,
);
