import { execFile, spawn, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { mkdtempSync } from "node:fs";
import { freePort } from "./free-port.ts";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { sandbank } from "./cli/command.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "sandbank-receivers-"));
/** An address of the loopback that no receiver has without the variable HOST. Other systems than Linux have one. */
const HOST = process.platform === "linux" ? "127.0.0.2" : "127.0.0.1";
const example = (name: string): string => resolve("examples/receivers", name);

interface Language {
  /** Succeeds where the machine has the language and what the example needs of it. */
  readonly check: readonly string[];
  /** What makes a program of the example. */
  readonly build?: readonly string[];
  readonly start: (port: number) => readonly string[];
}

const languages: Readonly<Record<string, Language>> = {
  TypeScript: {
    check: [process.execPath, "--version"],
    start: () => [process.execPath, example("receiver.ts")],
  },
  Python: { check: ["python3", "-c", "import sqlite3"], start: () => ["python3", example("receiver.py")] },
  Ruby: { check: ["ruby", "--version"], start: () => ["ruby", example("receiver.rb")] },
  PHP: {
    check: ["php", "-r", "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"],
    start: (port) => [
      ..."php -d enable_post_data_reading=0 -S".split(" "),
      `${HOST}:${port}`,
      example("receiver.php"),
    ],
  },
  Go: {
    check: ["go", "version"],
    build: ["go", "build", "-o", join(folder, "receiver"), example("receiver.go")],
    start: () => [join(folder, "receiver")],
  },
  Java: {
    check: ["javac", "--version"],
    build: ["javac", "-d", folder, example("Receiver.java")],
    start: () => ["java", "-cp", folder, "Receiver"],
  },
};

/** A receiver in the middle of a rotation: it knows the old secret and the next one. */
async function startReceiver({ start, build }: Language) {
  if (build !== undefined) await run(build[0] ?? "", build.slice(1), { timeout: 90_000 });
  const port = await freePort();
  const [program = "", ...args] = start(port);
  const child = spawn(program, args, {
    // PHP's server writes a line for each request: nobody reads a pipe here, so that none can fill up.
    stdio: "ignore",
    env: {
      ...process.env,
      HOST,
      PORT: String(port),
      SANDBANK_WEBHOOK_SECRET: "next-secret",
      SANDBANK_WEBHOOK_SECRET_OLD: "acme-webhook-secret",
      RECEIVER_FILE: join(folder, `${port}.db`),
    },
  });
  const ended = once(child, "close");
  const url = `http://${HOST}:${port}`;
  await expect.poll(() => fetch(`${url}/state`).then(({ status }) => status, String)).toBe(200);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The report of a command of sandbank. */
async function report(...args: readonly string[]): Promise<unknown> {
  // A command that fails has a report, too.
  const { out, err } = await sandbank(...args, "--reporter", "json");
  if (out === "") throw new Error(`sandbank ${args.join(" ")} wrote no report. ${err}`);
  return JSON.parse(out);
}

// One after the other: the checks measure how soon a receiver answers.
for (const [name, language] of Object.entries(languages)) {
  test.skipIf(spawnSync(language.check[0] ?? "", language.check.slice(1)).status !== 0)(
    `the receiver in ${name} passes every required check, and ends in one state however its webhooks come`,
    { timeout: 240_000 },
    async () => {
      await using receiver = await startReceiver(language);
      const { url } = receiver;
      const at = ["--probe", `${url}/state`, "--settle", "5"];

      const { checks } = (await report(
        ..."receiver check --next-secret next-secret".split(" "),
        `${url}/webhooks`,
        ...at,
      )) as { checks: readonly { id: string; level: string; verdict: string }[] };
      const required = checks.filter(({ level }) => level === "must");
      expect(required.filter(({ verdict }) => !["pass", "skipped"].includes(verdict))).toEqual([]);
      const passed = required.filter(({ verdict }) => verdict === "pass").map(({ id }) => id);
      expect(passed).toEqual(expect.arrayContaining(["S1", "R1", "I1", "I2", "E1", "T1"]));

      const explored = (await report(
        ..."explore --depth 1 scenarios/explore/refund.yaml".split(" "),
        ...at,
        "--receiver",
        `${url}/webhooks`,
        "--reset",
        `${url}/reset`,
      )) as { verdict: string };
      expect(explored.verdict).toBe("converges");
    },
  );
}
