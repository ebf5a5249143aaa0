import type { Argv } from "yargs";
import {
  type CertifiedPart,
  type ComparedBooks,
  type Outcome,
  booksPart,
  certificateOf,
  certificateFormats,
  certificateReports,
  LANGUAGES,
  contractsOutcome,
  doubtOutcome,
  exploreOutcome,
  receiverOutcome,
  scenariosOutcome,
  suiteOf,
} from "../tools/certification/certificate.ts";
import { certificatePage } from "../tools/certification/certificate-page.ts";
import { capabilitiesFlag } from "../tools/certification/capabilities.ts";
import { clientUse } from "../tools/certification/client-use.ts";
import { type FlagsOf, command } from "./command.ts";
import { httpUrl, seedOrRandom, wallTime, wholeNumber } from "./flags.ts";
import { drawnSeed } from "../library/setting-types.ts";
import { partnerFlags, typedPartnerFlags, withPartner } from "./partner-flags.ts";
import { doubt } from "../tools/doubt/doubt.ts";
import { DOUBT_DEFAULTS } from "./doubt.ts";
import { explorations } from "./explore.ts";
import { ControlFailure } from "../control/client.js";
import { commandLine } from "../control/shell.js";
import { CommandFailure, FileMistakes, UsageError } from "../process/failures.ts";
import { reach, runOptions } from "./run.ts";
import { readScenarios } from "../tools/scenarios/scenario-files.ts";
import { resetOf } from "../tools/explore/partner-command.ts";
import { receiverReport } from "../tools/receiver/receiver-check.ts";
import { requireWritable, writeOutput } from "./output.ts";
import { reporterFlag, requireReports, writeReports } from "./reports.ts";
import type { TestSuite } from "../tools/reports/test-report.ts";
import { runScenarios } from "../tools/scenarios/run.ts";
import { sandboxVerification } from "./contracts-verify.ts";

const flags = (yargs: Argv) =>
  partnerFlags(reporterFlag(certificateFormats)(yargs))
    .option("receiver", {
      type: "string",
      describe: "URL of your webhook receiver; it is checked",
      coerce: httpUrl("--receiver"),
    })
    .option("probe", {
      type: "string",
      describe: "URL where your system returns its state as JSON",
      coerce: httpUrl("--probe"),
    })
    .option("partner-name", { type: "string", describe: "Whose integration it is, for the document" })
    .option("capabilities", capabilitiesFlag)
    .option("lang", { choices: LANGUAGES, default: "en" as const, describe: "Language of the document" })
    .option("date", {
      type: "string",
      describe: "Date of the document (default: today)",
      coerce: dateOf,
    })
    .option("port", {
      type: "string",
      describe: "Where your system finds the sandbox in explorations and scenarios, if it calls it",
      coerce: wholeNumber("--port", { min: 1, max: 65_535 }),
    })
    .option("depth", {
      type: "string",
      describe: "How many things go differently at most in one run of an exploration (default: 2)",
      coerce: wholeNumber("--depth", { min: 1, max: 5 }),
    })
    .option("budget", {
      type: "string",
      describe: "How many schedules of an exploration are tried at most (default: 500)",
      coerce: wholeNumber("--budget", { min: 1, max: 1_000_000 }),
    })
    .option("time", {
      type: "string",
      describe: "For how long an exploration goes on, as an ISO 8601 duration (default: PT5M)",
      coerce: shownTime,
    })
    .option("reset", {
      type: "string",
      describe:
        "POST to this URL before each run of an exploration and before the scenarios, to empty your system",
      coerce: httpUrl("--reset"),
    })
    .option("ignore", {
      type: "string",
      array: true,
      describe: "Leave this path of the probe out, such as '$.log' (JSONPath, repeatable)",
    })
    .option("settle", {
      type: "string",
      describe:
        "How long your system's work may continue after an answer, in milliseconds (default: 200, or what an explored scenario says)",
      coerce: wholeNumber("--settle", { min: 0, max: 60_000 }),
    })
    .option("explore", {
      type: "string",
      array: true,
      describe: "Explore this scenario file (repeatable)",
    })
    .option("scenarios", {
      type: "string",
      describe: "Run the scenarios of this folder with your receiver",
    })
    .option("pacts", { type: "string", describe: "Verify the consumer pacts of this folder" })
    .option("doubt", {
      type: "string",
      describe:
        "The command that runs your tests: once for each other way in which the platform could behave",
    })
    .option("target", {
      type: "string",
      describe: "Check what your client used of this sandbank (admin token in SANDBANK_ADMIN_TOKEN)",
      coerce: httpUrl("--target"),
    })
    .option("world", { type: "string", default: "default", describe: "World of the target" })
    .option("secret", {
      type: "string",
      describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
    })
    .option("seed", {
      type: "string",
      default: "random",
      describe: "Seed of everything that is drawn; random draws and prints one",
      coerce: seedOrRandom,
    })
    .option("out", {
      type: "string",
      default: "report.html",
      describe: "The report, an HTML file; the same as JSON is next to it",
    });

function dateOf(written: string | undefined): string | undefined {
  if (written === undefined || /^\d{4}-\d\d-\d\d$/.test(written)) return written;
  throw new UsageError(`--date must be a date such as 2026-11-23; found "${written}".`);
}

/** Reads `--time`; the report repeats it as it was written. */
function shownTime(written: string | undefined): { written: string; timeMs: number } | undefined {
  const timeMs = wallTime("--time")(written);
  return written === undefined || timeMs === undefined ? undefined : { written, timeMs };
}

type CertifyFlags = FlagsOf<typeof flags>;

/** `sandbank certify`: the proof of an integration, in one file. */
export const certifyCommand = command(flags, certify);

/** Runs what is named, writes the report, and sets the exit code: 0 passed, 1 failed, 2 not judged. */
async function certify(flags: CertifyFlags): Promise<void> {
  const { receiver, out, target } = flags;
  if ([receiver, target, flags.pacts, flags.doubt].every((one) => one === undefined))
    throw new UsageError(
      "certify requires your receiver, your client's sandbox, or both. Name them: --receiver http://127.0.0.1:3000/webhooks --target http://127.0.0.1:4010",
    );
  if (receiver === undefined && (flags.explore ?? flags.scenarios) !== undefined)
    throw new UsageError("--explore and --scenarios require --receiver: the webhooks go there. Give it too.");
  if (!/\.html?$/.test(out)) throw new UsageError(`--out must be an HTML file; found "${out}".`);
  const reports = { reporter: flags.reporter };
  await requireReports(reports);
  await requireWritable(out);
  const seed = drawnSeed(flags.seed ?? "random");
  const named = partsOf(flags, seed);
  const parts: CertifiedPart[] = [];
  const compared: ComparedBooks[] = [];
  const suites: TestSuite[] = [];
  const missing: string[] = [];
  for (const [index, { name, of, args, run }] of named.entries()) {
    process.stderr.write(`[${index + 1}/${named.length}] ${commandLine(["sandbank", ...args])}\n`);
    const { report, books, suites: own = [], missing: lacks = [], ...outcome } = await judged(run);
    process.stderr.write(`      ${outcome.summary}\n`);
    if (books !== undefined) compared.push(books);
    missing.push(...lacks);
    const part = {
      name,
      ...(of !== undefined && { of }),
      ...(report !== undefined && { report }),
      ...outcome,
    };
    parts.push(part);
    const isShown = own.some(({ cases }) => cases.some(({ failure, error }) => failure ?? error));
    suites.push(...own, ...(isShown || (part.verdict === "passed" && own.length > 0) ? [] : [suiteOf(part)]));
  }
  const books = booksPart(compared);
  if (books !== undefined) {
    parts.push(books);
    suites.push(suiteOf(books));
  }
  const { lang, capabilities = [], "partner-name": partner } = flags;
  const date = flags.date ?? new Date().toISOString().slice(0, 10);
  const use = target === undefined ? undefined : await clientUse(target, flags.world, capabilities);
  if (use !== undefined) {
    parts.push(use.part);
    suites.push(suiteOf(use.part));
  }
  const subject = { date, capabilities, language: lang, ...(partner !== undefined && { partner }) };
  const certificate = certificateOf({
    parts,
    seed,
    use,
    repeat: repeatOf(flags, seed, named),
    subject,
    missing,
  });
  await writeOutput(certificatePage(certificate), out);
  await writeOutput(`${JSON.stringify(certificate, null, 2)}\n`, out.replace(/\.html?$/, ".json"));
  await writeReports(reports, ({ format }) => certificateReports[format](certificate, suites));
  if (certificate.verdict === "failed") process.exitCode = 1;
  if (certificate.verdict === "not-judged")
    throw new FileMistakes(
      parts
        .filter(({ verdict }) => verdict === "not-judged")
        .map(({ name, reasons, summary }) => `Failed to judge ${name}: ${reasons[0] ?? summary}`)
        .join("\n"),
    );
}

/** A part of the proof, with the command that does the same. */
interface NamedPart {
  readonly name: CertifiedPart["name"];
  readonly of?: string;
  readonly args: readonly string[];
  readonly run: () => Promise<Outcome>;
}

function partsOf(flags: CertifyFlags, seed: number): NamedPart[] {
  const { receiver, explore = [], reset, scenarios, pacts, probe, ignore, settle, secret } = flags;
  const { port, depth, budget, time, doubt: tests } = flags;
  const observed = observationOf(flags);
  const drawn = ["--seed", String(seed)];
  const emptied = reset === undefined ? [] : ["--reset", reset];
  const opened = port === undefined ? [] : ["--port", String(port)];
  const { partner, clock, "partner-ready": ready, "partner-timeout": timeoutMs } = flags;
  const owned = { partner, clock, "partner-ready": ready, "partner-timeout": timeoutMs };
  const started = typedPartnerFlags(flags);
  const parts: NamedPart[] = [];
  if (receiver !== undefined) {
    const given = { receiver, seed, secret, probe, ignore, settle };
    parts.push({
      name: "receiver",
      args: ["receiver", "check", receiver, ...scopeOf(flags), ...observed, ...started, ...drawn],
      run: () =>
        withPartner(owned, async (process) =>
          receiverOutcome(
            await receiverReport({ ...given, capabilities: flags.capabilities, process, url: receiver }),
          ),
        ),
    });
    const where = ["--receiver", receiver, ...observed, ...emptied, ...opened, ...started];
    const searched = { port, depth, budget, time: time?.timeMs, ...owned };
    for (const file of explore)
      parts.push({
        name: "explore",
        of: file,
        args: ["explore", file, ...where, ...searchOf(flags), ...drawn],
        run: async () => exploreOutcome(await explorations({ ...given, ...searched, reset, files: [file] })),
      });
    if (scenarios !== undefined)
      parts.push({
        name: "scenarios",
        of: scenarios,
        args: ["run", scenarios, "--receiver", receiver, ...opened, ...started, ...drawn],
        run: async () => {
          const files = readScenarios([scenarios]);
          await withPartner(owned, async () => {
            await reach({ receiver });
            await resetOf({ url: reset, command: undefined })?.();
          });
          const options = runOptions({ ...given, ...owned, port, reporter: [] });
          return scenariosOutcome(await runScenarios(files, options));
        },
      });
  }
  if (pacts !== undefined)
    parts.push({
      name: "contracts",
      of: pacts,
      args: ["contracts", "verify", pacts, ...drawn],
      run: async () => contractsOutcome(await sandboxVerification([pacts], seed)),
    });
  if (tests !== undefined)
    parts.push({
      name: "doubt",
      of: tests,
      args: ["doubt", "--test", tests, ...drawn],
      run: async () => doubtOutcome(await doubt({ ...DOUBT_DEFAULTS, command: tests, seed })),
    });
  return parts;
}

/** The flags that bound explorations. */
function searchOf({ depth, budget, time }: Pick<CertifyFlags, "depth" | "budget" | "time">): string[] {
  return [
    ...(depth === undefined ? [] : ["--depth", String(depth)]),
    ...(budget === undefined ? [] : ["--budget", String(budget)]),
    ...(time === undefined ? [] : ["--time", time.written]),
  ];
}

/** The flag that says what the integration is about. */
function scopeOf({ capabilities = [] }: Pick<CertifyFlags, "capabilities">): string[] {
  return capabilities.length === 0 ? [] : ["--capabilities", capabilities.join(",")];
}

/** The flags that say how the receiver is observed. */
function observationOf(flags: Pick<CertifyFlags, "probe" | "ignore" | "settle">): string[] {
  const { probe, ignore = [], settle } = flags;
  return [
    ...(probe === undefined ? [] : ["--probe", probe]),
    ...ignore.flatMap((path) => ["--ignore", path]),
    ...(settle === undefined ? [] : ["--settle", String(settle)]),
  ];
}

/** What a part comes to; one that cannot run says why. */
async function judged(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    const isExplained = [UsageError, FileMistakes, CommandFailure, ControlFailure].some(
      (kind) => error instanceof kind,
    );
    if (!isExplained) throw error;
    const reasons = (error as Error).message.split("\n");
    return { verdict: "not-judged", summary: "It did not run.", reasons };
  }
}

function repeatOf({ out, ...flags }: CertifyFlags, seed: number, parts: readonly NamedPart[]): string[] {
  const { receiver, explore = [], reset, scenarios, pacts, target, world } = flags;
  const { port, "partner-name": partner, lang } = flags;
  const all = [
    "certify",
    ...(receiver === undefined ? [] : ["--receiver", receiver]),
    ...(partner === undefined ? [] : ["--partner-name", partner]),
    ...scopeOf(flags),
    ...(lang === "en" ? [] : ["--lang", lang]),
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...searchOf(flags),
    ...typedPartnerFlags(flags),
    ...observationOf(flags),
    ...explore.flatMap((file) => ["--explore", file]),
    ...(reset === undefined ? [] : ["--reset", reset]),
    ...(scenarios === undefined ? [] : ["--scenarios", scenarios]),
    ...(pacts === undefined ? [] : ["--pacts", pacts]),
    ...(flags.doubt === undefined ? [] : ["--doubt", flags.doubt]),
    ...(target === undefined ? [] : ["--target", target]),
    ...(world === "default" ? [] : ["--world", world]),
    "--seed",
    String(seed),
    "--out",
    out,
  ];
  // A secret is no part of a report: it comes from SANDBANK_WEBHOOK_SECRET.
  return [all, ...parts.map(({ args }) => args)].map((args) => commandLine(["sandbank", ...args]));
}
