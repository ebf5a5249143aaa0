import { note } from "./standard-streams.ts";
import { openSandbox } from "../library/sandbox.ts";
import {
  type CertifiedPart,
  type PartResult,
  type ProvenPart,
  certificateOf,
  LANGUAGES,
  partOfContracts,
  partOfDoubt,
  partOfExplorations,
  partOfReceiver,
  partOfScenarios,
} from "../checks/certification/certificate.ts";
import { booksPart, partsReport } from "../checks/certification/proven-part.ts";
import { certificateFormats, certificateReports } from "../checks/certification/certificate-page.ts";
import { capabilitiesFlag } from "../checks/certification/capabilities.ts";
import { english } from "../checks/certification/english.ts";
import { clientUse } from "../checks/certification/client-use.ts";
import { type ValuesOf, command } from "./command.ts";
import { defined } from "../simulator/engine/json.ts";
import {
  choice,
  limit,
  number,
  PORTS,
  readAs,
  secretFlag,
  seed,
  text,
  texts,
  typedAgain,
  typedFlags,
  url,
  wallTime,
} from "./flags.ts";
import { CHECK_LIMITS } from "../checks/receiver/check-limits.ts";
import { LIMITS } from "../checks/explore/search-limits.ts";
import { drawnSeed } from "../server/settings/setting-types.ts";
import { partnerFlags, typedPartnerFlags, withPartner } from "./partner-flags.ts";
import { doubt } from "../checks/doubt/doubt.ts";
import { DOUBT_DEFAULTS, doubtProgress } from "./doubt.ts";
import { checkProgress } from "./receiver-check.ts";
import { explorations } from "./explore.ts";
import { commandLine } from "../server/control/shell.js";
import { UsageError } from "../base/failures.ts";
import { reach, runOptions } from "./run.ts";
import { readScenarios } from "../scenarios/scenario-files.ts";
import { receiverReport } from "../checks/receiver/receiver-check.ts";
import { requireWritable, statusLine, writeOutput } from "./output.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { runScenarios } from "../scenarios/run.ts";
import { sandboxVerification } from "./contracts-verify.ts";
import { interruption } from "./interruption.ts";
import { isExplained } from "../reports/explained.ts";
import { Stop, Stopped } from "../base/stop.ts";
import type { Wall } from "../base/wall.ts";

const certifyFlags = {
  reporter: reporterFlag(certificateFormats),
  ...partnerFlags,
  receiver: url("URL of your webhook receiver, which is checked"),
  probe: url("URL that returns your system's state as JSON"),
  "partner-name": text("Name of the integrating company, for the document"),
  capabilities: capabilitiesFlag,
  lang: choice(LANGUAGES, "Language of the document", { default: "en" }),
  date: readAs(dateOf, "Date of the document, such as 2026-11-23 [default: today]"),
  port: number(PORTS, "Port of the sandbox in explorations and scenarios, for the calls of your system"),
  depth: limit(LIMITS.depth),
  budget: limit(LIMITS.budget),
  time: readAs(
    (written, flag) => ({ written, timeMs: wallTime(written, flag) }),
    `${LIMITS.timeMs.says}: a duration such as PT5M, or seconds [default: PT5M]`,
  ),
  ignore: texts("Leave this JSONPath of the probe out of the comparison, such as '$.log' (repeatable)"),
  settle: number(
    CHECK_LIMITS.settleMs.range,
    `${LIMITS.settleMs.says} [default: ${LIMITS.settleMs.preset}, or the value of the explored scenario]`,
  ),
  explore: texts("Explore this scenario file (repeatable)"),
  reset: url(
    "POST to this URL before each run of an exploration and before each scenario, to empty your system",
  ),
  scenarios: text("Run the scenarios of this folder with your receiver"),
  pacts: text("Verify the consumer pacts of this folder"),
  doubt: text("Run this test command once for every alternative behaviour of the platform (sandbank doubt)"),
  target: url(
    "Check the calls of your client to this running sandbank (admin token in SANDBANK_ADMIN_TOKEN)",
  ),
  world: text("World of the target", { default: "default" }),
  secret: secretFlag,
  seed: seed("Seed of ids and random choices; random draws and prints one", { default: "random" }),
  out: text("Write the report to this HTML file, and as JSON next to it", { default: "report.html" }),
};

function dateOf(written: string, flag: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(written)) return written;
  throw new UsageError(`${flag} must be a date such as 2026-11-23; found "${written}".`);
}

type CertifyFlags = ValuesOf<typeof certifyFlags>;

/** `sandbank certify`: the proof of an integration, in one file. */
export const certifyCommand = command(certifyFlags, certify);

/** Runs the named parts, writes the report, and ends by the verdicts of the parts. */
async function certify(flags: CertifyFlags, wall: Wall): Promise<void> {
  const { receiver, out, target } = flags;
  if ([receiver, target, flags.pacts, flags.doubt].every((one) => one === undefined))
    throw new UsageError(
      "certify requires your receiver, or the sandbox that your client calls, or both. Name them: --receiver http://127.0.0.1:3000/webhooks --target http://127.0.0.1:4010",
    );
  if (receiver === undefined && (flags.explore ?? flags.scenarios) !== undefined)
    throw new UsageError(
      "--explore and --scenarios require --receiver, the URL for the webhooks. Give it too.",
    );
  if (!/\.html?$/.test(out)) throw new UsageError(`--out must be an HTML file; found "${out}".`);
  const reports = { reporter: flags.reporter };
  await requireReports(reports);
  await requireWritable(out);
  if (target !== undefined) await reach({ target }, wall);
  const seed = drawnSeed(flags.seed ?? "random");
  using interrupted = interruption("certify");
  const { signal } = interrupted;
  const named = partsOf(flags, { seed, wall, signal });
  const parts: ProvenPart[] = [];
  for (const [index, { name, of, args, run }] of named.entries()) {
    const isBegun = !signal.aborted;
    if (isBegun) note(`[${index + 1}/${named.length}] ${commandLine(["sandbank", ...args])}\n`);
    const show = statusLine(wall);
    const { report, ...result } = await judged(() => run(show), signal).finally(() => show(""));
    if (isBegun) note(`      ${result.summary}\n`);
    parts.push({ name, ...defined({ of, report }), ...result });
  }
  const books = booksPart(parts.flatMap((part) => part.books ?? []));
  if (books !== undefined) parts.push(books);
  const { lang, capabilities = [], "partner-name": partner } = flags;
  const date = flags.date ?? new Date(wall.date()).toISOString().slice(0, 10);
  const use = target === undefined ? undefined : await clientUse(target, flags.world, capabilities);
  if (use !== undefined) parts.push(use.proven);
  const subject = { date, capabilities, language: lang, ...defined({ partner }) };
  const certificate = certificateOf({
    parts,
    seed,
    use,
    repeat: repeatOf(flags, seed, named),
    subject,
  });
  const proof = { certificate, parts };
  await writeOutput(certificateReports.html(proof), out);
  await writeOutput(certificateReports.json(proof), out.replace(/\.html?$/, ".json"));
  await writeReports(reports, ({ format, isColoured }) => certificateReports[format](proof, isColoured));
  endBy(partsReport(parts));
}

/** A part of the proof, with the command that does the same. */
interface NamedPart {
  readonly name: CertifiedPart["name"];
  readonly of?: string;
  readonly args: readonly string[];
  /** Judges the part. Calls `show` with a line of progress. */
  readonly run: (show: (line: string) => void) => Promise<PartResult>;
}

/** The values that all parts share. */
interface Certifying {
  readonly seed: number;
  readonly wall: Wall;
  readonly signal: AbortSignal;
  /** The seed, as it is typed. */
  readonly drawn: readonly string[];
}

function partsOf(flags: CertifyFlags, certifying: Omit<Certifying, "drawn">): NamedPart[] {
  const { seed, wall, signal } = certifying;
  const { receiver, explore = [], scenarios, pacts, doubt: tests } = flags;
  const shared = { ...certifying, drawn: ["--seed", String(seed)] };
  const parts: NamedPart[] = [];
  if (receiver !== undefined) {
    parts.push(receiverPart(receiver, flags, shared));
    for (const file of explore) parts.push(explorePart(receiver, file, flags, shared));
    if (scenarios !== undefined) parts.push(scenariosPart(receiver, scenarios, flags, shared));
  }
  if (pacts !== undefined)
    parts.push({
      name: "contracts",
      of: pacts,
      args: ["contracts", "verify", pacts, ...shared.drawn],
      run: async () => {
        using stop = new Stop(wall, signal);
        return partOfContracts(await stop.until(sandboxVerification([pacts], { seed, wall })));
      },
    });
  if (tests !== undefined)
    parts.push({
      name: "doubt",
      of: tests,
      args: ["doubt", "--test", tests, ...shared.drawn],
      run: async (show) =>
        partOfDoubt(
          await doubt({
            ...DOUBT_DEFAULTS,
            wall,
            signal,
            command: tests,
            seed,
            onProgress: doubtProgress(show),
          }),
        ),
    });
  return parts;
}

/** Returns the flags about the partner's state. */
function observedIn({
  probe,
  ignore,
  settle,
}: CertifyFlags): Pick<CertifyFlags, "probe" | "ignore" | "settle"> {
  return { probe, ignore, settle };
}

/** Returns the flags about the process of the partner's system. */
function ownedIn(flags: CertifyFlags): Parameters<typeof typedPartnerFlags>[0] {
  const names = Object.keys(partnerFlags) as (keyof typeof partnerFlags)[];
  return Object.fromEntries(names.map((name) => [name, flags[name]]));
}

function receiverPart(
  receiver: string,
  flags: CertifyFlags,
  { seed, wall, signal, drawn }: Certifying,
): NamedPart {
  const { secret, capabilities } = flags;
  const observed = observedIn(flags);
  const scope = scopeOf(flags);
  return {
    name: "receiver",
    args: [
      "receiver",
      "check",
      receiver,
      ...scope,
      ...typedFlags(observed),
      ...typedPartnerFlags(flags),
      ...drawn,
    ],
    run: (show) =>
      withPartner(ownedIn(flags), { wall, signal }, async (process) => {
        const onProgress = checkProgress(show, wall);
        const given = { url: receiver, seed, secret, capabilities, process, onProgress, ...observed };
        return partOfReceiver(await receiverReport({ ...given, wall, signal, openSandbox }));
      }),
  };
}

function explorePart(
  receiver: string,
  file: string,
  flags: CertifyFlags,
  { seed, wall, signal, drawn }: Certifying,
): NamedPart {
  const { reset, port, depth, budget, time, secret } = flags;
  const observed = observedIn(flags);
  const where = ["--receiver", receiver, ...typedFlags(observed), ...typedFlags({ reset, port })];
  return {
    name: "explore",
    of: file,
    args: ["explore", file, ...where, ...typedPartnerFlags(flags), ...searchOf(flags), ...drawn],
    run: async () => {
      // In a scenario, its own probe wins.
      const hasProbe = readScenarios([file], { isProbed: true }).some(
        (scenario) => scenario.probe?.url !== undefined,
      );
      const shown = hasProbe ? { ...observed, probe: undefined } : observed;
      const searched = { port, depth, budget, time: time?.timeMs, ...ownedIn(flags) };
      const given = { receiver, seed, secret, ...shown, ...searched, reset };
      return partOfExplorations(await explorations({ ...given, files: [file] }, { wall, signal }));
    },
  };
}

function scenariosPart(
  receiver: string,
  folder: string,
  flags: CertifyFlags,
  { seed, wall, signal, drawn }: Certifying,
): NamedPart {
  const { reset, port, secret } = flags;
  const where = ["--receiver", receiver, ...typedFlags({ reset, port })];
  return {
    name: "scenarios",
    of: folder,
    args: ["run", folder, ...where, ...typedPartnerFlags(flags), ...drawn],
    run: async () => {
      const files = readScenarios([folder]);
      const owned = ownedIn(flags);
      await withPartner(owned, { wall, signal }, () => reach({ receiver }, wall));
      const given = { receiver, seed, secret, ...observedIn(flags), ...owned, reset, port };
      return partOfScenarios(await runScenarios(files, runOptions({ ...given, reporter: [] }, wall, signal)));
    },
  };
}

/** Returns the flags that bound explorations. */
function searchOf({ depth, budget, time }: Pick<CertifyFlags, "depth" | "budget" | "time">): string[] {
  return typedFlags({ depth, budget, time: time?.written });
}

/** Returns the flag for the subject of the integration. */
function scopeOf({ capabilities }: Pick<CertifyFlags, "capabilities">): string[] {
  return typedFlags({ capabilities: capabilities?.join(",") });
}

/** Returns the result of a part. If the part cannot run, or is interrupted, the result has the reason. */
async function judged(run: () => Promise<PartResult>, signal: AbortSignal): Promise<PartResult> {
  const without = (reasons: readonly string[]): PartResult => {
    const counted = { of: "nothing" } as const;
    return { verdict: "not-judged", summary: english.summary(counted), counted, reasons };
  };
  if (signal.aborted) return without([INTERRUPTED]);
  try {
    const result = await run();
    if (!signal.aborted || result.verdict === "failed") return result;
    return { ...result, verdict: "not-judged", reasons: [INTERRUPTED, ...result.reasons] };
  } catch (error) {
    if (error instanceof Stopped) return without([INTERRUPTED]);
    if (!isExplained(error)) throw error;
    return without(error.message.split("\n"));
  }
}

const INTERRUPTED = "The command was interrupted before its end.";

/** Returns the command that leads to this report, then the commands that repeat one part each. */
function repeatOf(flags: CertifyFlags, seed: number, parts: readonly NamedPart[]): string[] {
  const { time, capabilities, lang, world } = flags;
  const typed = {
    ...flags,
    capabilities: capabilities?.join(","),
    time: time?.written,
    lang: lang === "en" ? undefined : lang,
    world: world === "default" ? undefined : world,
    seed,
    // A report must not contain a secret: it comes from SANDBANK_WEBHOOK_SECRET.
    secret: undefined,
    // The other destinations of results do not change the report.
    reporter: undefined,
  };
  const all = ["certify", ...typedAgain(certifyFlags, typed)];
  return [all, ...parts.map(({ args }) => args)].map((args) => commandLine(["sandbank", ...args]));
}
