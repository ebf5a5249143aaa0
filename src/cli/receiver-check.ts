import type { Argv } from "yargs";
import { drawnSeed, mustBeHttpUrl, seedOrRandom, wholeNumber } from "./flags.ts";
import { type FlagsOf, command } from "./command.ts";
import { Bench, type BenchOptions } from "../tools/receiver/bench.ts";
import { catalogue, runChecks } from "../tools/receiver/run-checks.ts";
import { createEgress } from "../webhooks/egress-guard.ts";
import { type Sandbox, createSandbox } from "../library/sandbox.ts";
import { suggestion } from "../engine/suggestion.ts";
import { Effects, type ObservedCalls, observeCalls } from "../tools/receiver/effects.ts";
import { EventSource } from "../tools/receiver/event-source.ts";
import { FileMistakes, UsageError } from "./usage-error.ts";
import { finish } from "./contracts-outcome.ts";
import { requireWritable } from "./output.ts";
import { type ReceiverReport, openQuestions, receiverReports, verdictOf } from "../tools/receiver/report.ts";
import { Probe, ProbeFailure } from "../tools/receiver/probe.ts";
import { readCompanies } from "../tools/receiver/world-access.ts";
import { type IgnoredPath, readIgnoredPath } from "../tools/oracle/ignored-paths.ts";
import { ScriptedReceiver } from "../tools/scenarios/receiver.ts";
import { transportTo } from "../webhooks/in-process.ts";

const flags = (yargs: Argv) =>
  yargs
    .positional("url", { type: "string", demandOption: true, describe: "URL of the receiver" })
    .option("secret", {
      type: "string",
      describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
    })
    .option("level", {
      choices: ["must", "should"] as const,
      default: "must" as const,
      describe: "The lowest level whose failures count",
    })
    .option("only", {
      type: "string",
      array: true,
      describe: "Run only this check, such as I2 (repeatable)",
    })
    .option("seed", {
      type: "string",
      default: "random",
      describe: "Seed of the ids of the events; random draws and prints one",
      coerce: seedOrRandom,
    })
    .option("reporter", {
      choices: ["pretty", "json", "junit"] as const,
      default: "pretty" as const,
      describe: "Format of the report",
    })
    .option("out", { type: "string", describe: "File to write the report to" })
    .option("budget", {
      type: "string",
      default: "500",
      describe: "Maximum number of requests",
      coerce: wholeNumber("--budget", { min: 1, max: 100_000 }),
    })
    .option("rate", {
      type: "string",
      describe: "Maximum number of requests per second",
      coerce: wholeNumber("--rate", { min: 1, max: 1_000 }),
    })
    .option("timeout", {
      type: "string",
      default: "10000",
      describe: "Time limit of one answer, in milliseconds",
      coerce: wholeNumber("--timeout", { min: 100, max: 120_000 }),
    })
    .option("time", {
      type: "string",
      default: "60",
      describe: "Time limit of the check's own work, in seconds; waiting for the receiver is not counted",
      coerce: wholeNumber("--time", { min: 1, max: 86_400 }),
    })
    .option("next-secret", {
      type: "string",
      describe: "The secret after a rotation, which the receiver already accepts",
    })
    .option("retired-secret", {
      type: "string",
      describe: "A secret from before a rotation, which the receiver must reject",
    })
    .option("sandbox-port", {
      type: "string",
      describe: "Open a sandbox on this port for the receiver to call, and observe its calls",
      coerce: wholeNumber("--sandbox-port", { min: 1, max: 65_535 }),
    })
    .option("probe", {
      type: "string",
      describe: "URL where the receiver returns its state as JSON, in any form: it is compared",
    })
    .option("ignore", {
      type: "string",
      array: true,
      describe: "Leave this path of the probe out, such as '$.log' (JSONPath, repeatable)",
    })
    .option("allow-inconclusive", {
      type: "boolean",
      default: false,
      describe: "Accept required checks that could not be decided",
    })
    .option("settle", {
      type: "string",
      default: "200",
      describe: "How long its work may continue after an answer, in milliseconds",
      coerce: wholeNumber("--settle", { min: 0, max: 60_000 }),
    });

type CheckFlags = FlagsOf<typeof flags>;

export const checkCommand = command(flags, checkReceiver);

/** Checks a receiver; exit codes: 0 passed, 1 failed, 2 not run or not decided. */
async function checkReceiver(flags: CheckFlags): Promise<void> {
  await requireWritable(flags.out);
  const report = await receiverReport(flags);
  const verdict = verdictOf(report);
  const text = receiverReports[flags.reporter](report);
  await finish({ text, out: flags.out, hasPassed: verdict !== "failed" });
  if (verdict === "not-judged") throw new FileMistakes(openQuestions(report));
}

/** What is checked, and how. */
type Checking = Partial<CheckFlags> & Pick<CheckFlags, "url">;

/** Runs the checks. Rejects with a usage error, or with `FileMistakes` where there is nothing to check. */
export async function receiverReport(flags: Checking): Promise<ReceiverReport> {
  const only = idsOf(flags.only ?? []);
  mustBeHttpUrl("URL", flags.url);
  if (flags.probe !== undefined) mustBeHttpUrl("--probe", flags.probe);
  const seed = drawnSeed(flags.seed ?? "random");
  const ignored = (flags.ignore ?? []).map(ignoredPath);
  await using sandbox = await createSandbox({
    seed,
    start: "2026-11-20T09:00:00-03:00",
    webhookUrl: "http://receiver.example/webhooks",
    transport: transportTo(new ScriptedReceiver()),
  });
  const port = flags["sandbox-port"];
  const calls = port === undefined ? undefined : await openCalls(sandbox, port);
  try {
    const bench = new Bench(await benchOptions({ ...flags, seed, ignored }, sandbox, calls));
    await reach(bench);
    const checks = await runChecks(bench, only);
    const { url, level = "must", "allow-inconclusive": allowsInconclusive = false } = flags;
    return { url, seed, level, requests: bench.requests, checks, allowsInconclusive };
  } finally {
    await calls?.[Symbol.asyncDispose]();
  }
}

async function benchOptions(
  flags: Checking & {
    readonly seed: number;
    readonly ignored: readonly IgnoredPath[];
  },
  sandbox: Sandbox,
  calls: ObservedCalls | undefined,
): Promise<BenchOptions> {
  const { url, seed, timeout = 10_000, time = 60, budget = 500, rate, settle = 200, probe, ignored } = flags;
  const fetch: Sandbox["fetch"] = (path, init) => sandbox.fetch(path, init);
  const [company] = await readCompanies(fetch);
  const [nextSecret, retiredSecret] = [flags["next-secret"], flags["retired-secret"]];
  return {
    url,
    secret: flags.secret ?? process.env["SANDBANK_WEBHOOK_SECRET"] ?? company.webhookSecret,
    ...(nextSecret !== undefined && { nextSecret }),
    ...(retiredSecret !== undefined && { retiredSecret }),
    egress: createEgress({}),
    source: new EventSource(fetch, company, seed),
    effects: new Effects({
      settleMs: settle,
      ...(calls !== undefined && { calls }),
      ...(probe !== undefined && { probe: new Probe({ url: probe, ignored, settleMs: settle }) }),
    }),
    timeoutMs: timeout,
    requestsMax: budget,
    timeMaxMs: time * 1000,
    pauseMs: rate === undefined ? 0 : 1000 / rate,
  };
}

function idsOf(written: readonly string[]): string[] {
  const ids = catalogue.map(({ id }) => id);
  return written
    .flatMap((one) => one.split(","))
    .map((one) => {
      const id = one.trim().toUpperCase();
      if (ids.includes(id)) return id;
      throw new UsageError(
        `There is no check "${one}". ${suggestion(id, ids, { quote: '"', countMax: 3 })} All: ${ids.join(", ")}.`,
      );
    });
}

function ignoredPath(written: string): IgnoredPath {
  const read = readIgnoredPath(written);
  if (!("mistake" in read)) return read;
  throw new UsageError(`--ignore cannot be read: ${read.mistake}`);
}

/** Refuses where no receiver listens, or its probe gives no JSON: there is nothing to check. */
async function reach(bench: Bench): Promise<void> {
  try {
    await bench.effects.probe?.now();
  } catch (error) {
    if (error instanceof ProbeFailure) throw new FileMistakes(error.message);
    throw error;
  }
  const { error, message } = await bench.send(await bench.event());
  if (error === "dns" || error === "refused" || error === "egress-blocked" || error === "tls")
    throw new FileMistakes(`Failed to check ${bench.options.url}: ${message}`);
}

async function openCalls(sandbox: Sandbox, port: number): Promise<ObservedCalls> {
  const { url } = await sandbox.listen();
  try {
    return await observeCalls(url, port);
  } catch (error) {
    throw new FileMistakes(
      `Failed to open the sandbox on port ${port}: ${(error as Error).message}. Choose another with --sandbox-port.`,
    );
  }
}
