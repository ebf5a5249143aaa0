import { commandLine } from "../../server/control/shell.js";
import { type FailedTest, failedTestsIn, failedTestsInJunit, messageIn } from "./failed-tests.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { systemWall, type Wall, within } from "../../base/wall.ts";
import { ProcessGroup } from "../../partner/process-group.ts";
import { type TestRecord, readRecord } from "./test-record.ts";
import { CommandFailure } from "../../base/failures.ts";
import { join } from "node:path";
import { tmpdir } from "node:os";

/** The command of the partner's tests, and its limits. */
export interface TestCommand {
  readonly wall?: Wall;
  readonly command: string;
  /** The port of the server that is started for each run, and its further flags. */
  readonly port?: number;
  readonly serve?: string;
  /** The words that run `sandbank`. */
  readonly sandbank: readonly string[];
  /** A glob of JUnit reports. */
  readonly junit?: string;
}

/** The result of one run of the tests. */
export interface TestRun {
  /** Undefined if it took too long. */
  readonly exitCode: number | undefined;
  readonly seconds: number;
  readonly lastLines: readonly string[];
  readonly failed: readonly FailedTest[];
  /** The first line with the reason of the failure. */
  readonly message: string | null;
  readonly recorded: TestRecord;
}

/** The limit of the output that is read. The last characters are kept. */
const OUTPUT_MAX = 4_000_000;
/** The times that a server may take to listen, and to end. */
const LISTEN_MS = 20_000;
const END_MS = 2_000;
const POLL_MS = 5;

/** Runs the tests once. No process that they started is left behind. */
export async function runTests(
  { command, port, serve = "", sandbank, junit, wall = systemWall }: TestCommand,
  {
    mutant,
    timeoutMs,
    job,
    signal,
  }: {
    /** The value of `SANDBANK_MUTANT`. Empty without a mutant. */
    readonly mutant: string;
    readonly timeoutMs: number;
    /** The number of the job. It decides the port. */
    readonly job: number;
    /** Ends the run at once. */
    readonly signal?: AbortSignal;
  },
): Promise<TestRun> {
  signal?.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), "sandbank-doubt-"));
  const { SANDBANK_MUTANT: _mutant, ...own } = process.env;
  const env = { ...own, SANDBANK_DOUBT_RECORD: folder, ...(mutant !== "" && { SANDBANK_MUTANT: mutant }) };
  let server: ProcessGroup | undefined;
  let tests: ProcessGroup | undefined;
  const stop = (): void => {
    tests?.kill();
    server?.kill();
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    let url: string | undefined;
    if (port !== undefined) {
      const words = [...sandbank, "serve", "--port", String(port === 0 ? 0 : port + job)];
      server = new ProcessGroup(`exec ${commandLine(words)} ${serve}`, { env, wall });
      url = await listening(server, wall);
      signal?.throwIfAborted();
    }
    const sinceMs = wall.date();
    const startedMs = wall.now();
    const group = new ProcessGroup(command, {
      env: { ...env, ...(url !== undefined && { SANDBANK_URL: url }) },
      outputMax: OUTPUT_MAX,
      wall,
    });
    tests = group;
    const result = await within(() => group.ended, { ms: timeoutMs, late: undefined, wall });
    const seconds = (wall.now() - startedMs) / 1_000;
    await tests.end();
    signal?.throwIfAborted();
    await server?.end(END_MS);
    const { output, lastLines } = tests;
    const hasFailed = result !== 0;
    return {
      exitCode: typeof result === "string" ? 1 : result,
      seconds,
      lastLines,
      failed: !hasFailed
        ? []
        : junit === undefined
          ? failedTestsIn(output)
          : failedTestsInJunit(junit, sinceMs),
      message: hasFailed ? (messageIn(output) ?? null) : null,
      recorded: readRecord(folder),
    };
  } finally {
    signal?.removeEventListener("abort", stop);
    await tests?.end();
    await server?.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits for the URL of a server that was started. */
async function listening(server: ProcessGroup, wall: Wall): Promise<string> {
  const endMs = wall.now() + LISTEN_MS;
  while (wall.now() < endMs && server.result === undefined) {
    const [, url] = /^sandbank listening on (\S+)$/m.exec(server.output) ?? [];
    if (url !== undefined) return url;
    await wall.pause(POLL_MS);
  }
  await server.end();
  throw new CommandFailure(
    `Failed to start the sandbox for the tests: it does not listen. Correct --port or --serve. Its last lines:\n${server.lastLines.join("\n")}`,
  );
}
