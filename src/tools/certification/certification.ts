import type { CertifyFlags } from "../../cli/certify.ts";
import { certificatePage } from "./certificate-page.ts";
import { type ClientUse, clientUse } from "./client-use.ts";
import { createHash } from "node:crypto";
import { drawnSeed } from "../../cli/flags.ts";
import { FileMistakes, UsageError } from "../../cli/usage-error.ts";
import { isRecord } from "../../engine/json.ts";
import { packageVersion } from "../../process/package.ts";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { requireWritable, writeOutput } from "../../cli/output.ts";

/** `not-judged`: something that was named could not be tried, or could not be decided. */
export type Verdict = "passed" | "failed" | "not-judged";

/** One part of the proof. */
export interface CertifiedPart {
  readonly name: "receiver" | "explore" | "scenarios" | "contracts" | "client";
  readonly verdict: Verdict;
  /** What it comes to, in a sentence. */
  readonly summary: string;
  /** Why it did not pass; a sentence each. */
  readonly reasons: readonly string[];
  /** The file or folder, where several are named. */
  readonly of?: string;
  /** The JSON report of the command, or what the client used. */
  readonly report?: unknown;
}

/** `report.json`. */
export interface Certificate {
  readonly verdict: Verdict;
  readonly parts: readonly CertifiedPart[];
  /** What a complete integration has and this one has not shown. */
  readonly missing: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  readonly seed: number;
  /** The assumptions in force that are not the default ones. */
  readonly assumptions: Readonly<Record<string, unknown>>;
  /** SHA-256 of everything else in the report. */
  readonly digest: string;
  /** The commands that lead to this report. */
  readonly repeat: readonly string[];
}

/** Runs what is named, writes the report, and sets the exit code: 0 passed, 1 failed, 2 not judged. */
export async function certify(flags: CertifyFlags): Promise<void> {
  const { receiver, out } = flags;
  if (receiver === undefined)
    throw new UsageError(
      "certify requires your receiver. Name it: --receiver http://127.0.0.1:3000/webhooks",
    );
  if (!/\.html?$/.test(out)) throw new UsageError(`--out must be an HTML file; found "${out}".`);
  await requireWritable(out);
  const seed = drawnSeed(flags.seed ?? "random");
  const commands = commandsFor({ ...flags, receiver }, seed);
  const parts: CertifiedPart[] = [];
  for (const command of commands) {
    process.stderr.write(`${lineOf(command.args)}\n`);
    parts.push(await judged(command, flags.secret));
  }
  const use = flags.target === undefined ? undefined : await clientUse(flags.target, flags.world);
  if (use !== undefined) parts.push(use.part);
  const certificate = certificateOf({ parts, seed, use, repeat: repeatOf(flags, seed, commands) });
  await writeOutput(certificatePage(certificate), out);
  await writeOutput(`${JSON.stringify(certificate, null, 2)}\n`, out.replace(/\.html?$/, ".json"));
  process.stdout.write(`${closing(certificate)}\n`);
  if (certificate.verdict === "failed") process.exitCode = 1;
  if (certificate.verdict === "not-judged")
    throw new FileMistakes(
      parts
        .filter(({ verdict }) => verdict === "not-judged")
        .map(({ name, reasons, summary }) => `Failed to judge ${name}: ${reasons[0] ?? summary}`)
        .join("\n"),
    );
}

/** A command of sandbank whose JSON report is a part of the proof. */
interface PartCommand {
  readonly name: CertifiedPart["name"];
  readonly of?: string;
  readonly args: readonly string[];
}

function commandsFor(flags: CertifyFlags & { readonly receiver: string }, seed: number): PartCommand[] {
  const { receiver, explore = [], reset, scenarios, pacts } = flags;
  const observed = observationOf(flags);
  const drawn = ["--seed", String(seed)];
  const emptied = reset === undefined ? [] : ["--reset", reset];
  return [
    { name: "receiver", args: ["receiver", "check", receiver, ...observed, ...drawn] },
    ...explore.map((file): PartCommand => {
      return {
        name: "explore",
        of: file,
        args: ["explore", file, "--receiver", receiver, ...observed, ...emptied, ...drawn],
      };
    }),
    ...(scenarios === undefined
      ? []
      : [
          {
            name: "scenarios",
            of: scenarios,
            args: ["run", scenarios, "--receiver", receiver, ...drawn],
          } satisfies PartCommand,
        ]),
    ...(pacts === undefined
      ? []
      : [
          {
            name: "contracts",
            of: pacts,
            args: ["contracts", "verify", pacts, ...drawn],
          } satisfies PartCommand,
        ]),
  ];
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

/** Runs a command as its user would, so that the report says what the command says. */
async function judged({ name, of, args }: PartCommand, secret: string | undefined): Promise<CertifiedPart> {
  const child = spawn(process.execPath, [process.argv[1] ?? "", ...args, "--reporter", "json"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(secret !== undefined && { SANDBANK_WEBHOOK_SECRET: secret }) },
  });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  const report = parsed(out);
  const part = { name, ...(of !== undefined && { of }), ...(report !== undefined && { report }) };
  const stderrLines = err
    .trim()
    .split("\n")
    .filter((line) => line !== "" && !/^Seed \d+\./.test(line));
  if (report === undefined)
    return { ...part, verdict: "not-judged", summary: "It did not run.", reasons: stderrLines };
  const { summary, reasons, isEmpty } = SUMMARIES[name](report);
  const verdict = code === 0 ? (isEmpty ? "not-judged" : "passed") : code === 1 ? "failed" : "not-judged";
  const explained = verdict === "not-judged" && reasons.length === 0 ? stderrLines : reasons;
  return { ...part, verdict, summary, reasons: verdict === "passed" ? [] : explained };
}

function parsed(out: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(out);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface Summary {
  readonly summary: string;
  readonly reasons: readonly string[];
  /** Nothing was tried, so that nothing is proved. */
  readonly isEmpty: boolean;
}

/** What the JSON report of each command comes to. */
const SUMMARIES: Readonly<Record<CertifiedPart["name"], (report: Fields) => Summary>> = {
  receiver: (report) => {
    const checks = listOf(report["checks"]);
    const having = (verdict: string): Fields[] => checks.filter((check) => check["verdict"] === verdict);
    const open = [...having("fail"), ...having("inconclusive")];
    return {
      summary: `${having("pass").length} of ${checks.length} checks passed, ${having("fail").length} failed, ${having("inconclusive").length} were not decided, ${having("skipped").length} were skipped.`,
      reasons: open.map(({ id, title, cause }) => `${textOf(id)} ${textOf(title)}: ${textOf(cause)}`),
      isEmpty: checks.length === 0,
    };
  },
  explore: (report) => {
    const results = "results" in report ? listOf(report["results"]) : [report];
    const tried = results.reduce(
      (sum, { schedules }) => sum + Number((schedules as Fields)?.["tried"] ?? 0),
      0,
    );
    const divergences = results.flatMap((result) => listOf(result["divergences"]));
    const untried = results.flatMap(({ reason }) => (typeof reason === "string" ? [reason] : []));
    return {
      summary: `${tried} schedules tried, ${divergences.length} diverged.`,
      reasons: [...untried, ...divergences.map((one) => divergenceText(one))],
      isEmpty: tried === 0,
    };
  },
  scenarios: (report) => {
    const failed = listOf(report["scenarios"]).filter(({ status }) => status === "failed");
    const [passed, skipped] = [Number(report["passed"]), Number(report["skipped"])] as const;
    return {
      summary: `${passed} scenarios passed, ${failed.length} failed, ${skipped} were skipped.`,
      reasons: failed.map(
        ({ name, failure }) => `${textOf(name)}: ${textOf((failure as Fields)["message"])}`,
      ),
      isEmpty: passed + failed.length === 0,
    };
  },
  contracts: (report) => {
    const interactions = listOf(report["pacts"]).flatMap((pact) => listOf(pact["interactions"]));
    const failed = interactions.filter(({ verdict }) => verdict === "failed");
    const passed = interactions.filter(({ verdict }) => verdict === "passed");
    return {
      summary: `${passed.length} interactions passed, ${failed.length} failed.`,
      reasons: failed.map(({ description }) => `${textOf(description)} does not match.`),
      isEmpty: passed.length + failed.length === 0,
    };
  },
  client: () => ({ summary: "", reasons: [], isEmpty: true }),
};

function divergenceText({ deviations, differences, cause }: Fields): string {
  const ways = listOf(deviations).map(({ event, kind }) => `${textOf(kind)} on event ${textOf(event)}`);
  const [first] = listOf(differences);
  return `${ways.join(" and ")}: ${textOf(first?.["path"])} differs. ${textOf(cause)}`.trim();
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

interface CertificateParts {
  readonly parts: readonly CertifiedPart[];
  readonly seed: number;
  readonly use: ClientUse | undefined;
  readonly repeat: readonly string[];
}

function certificateOf({ parts, seed, use, repeat }: CertificateParts): Certificate {
  const has = (verdict: Verdict): boolean => parts.some((part) => part.verdict === verdict);
  const named = new Set(parts.map(({ name }) => name));
  const unnamed = Object.entries(NOT_SHOWN).flatMap(([name, sentence]) =>
    named.has(name as CertifiedPart["name"]) ? [] : [sentence],
  );
  const content = {
    verdict: has("failed")
      ? ("failed" as const)
      : has("not-judged")
        ? ("not-judged" as const)
        : ("passed" as const),
    parts,
    missing: [...unnamed, ...(use?.missing ?? [])],
    versions: { sandbank: packageVersion(), node: process.versions.node },
    seed,
    assumptions: use?.assumptions ?? {},
    repeat,
  };
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  return { ...content, digest };
}

/** Parts that were not named, and what they would show. */
const NOT_SHOWN: Readonly<Partial<Record<CertifiedPart["name"], string>>> = {
  explore: "No scenario was explored: --explore FILE tries every way in which its webhooks can come.",
  scenarios: "No scenarios were run: --scenarios DIR.",
  contracts: "No contracts were verified: --pacts DIR.",
  client: "The client was not looked at: --target URL reads what it called.",
};

function repeatOf({ out, ...flags }: CertifyFlags, seed: number, commands: readonly PartCommand[]): string[] {
  const { receiver = "", explore = [], reset, scenarios, pacts, target, world } = flags;
  const all = [
    "certify",
    "--receiver",
    receiver,
    ...observationOf(flags),
    ...explore.flatMap((file) => ["--explore", file]),
    ...(reset === undefined ? [] : ["--reset", reset]),
    ...(scenarios === undefined ? [] : ["--scenarios", scenarios]),
    ...(pacts === undefined ? [] : ["--pacts", pacts]),
    ...(target === undefined ? [] : ["--target", target]),
    ...(world === "default" ? [] : ["--world", world]),
    "--seed",
    String(seed),
    "--out",
    out,
  ];
  // A secret is no part of a report: it comes from SANDBANK_WEBHOOK_SECRET.
  return [lineOf(all), ...commands.map(({ args }) => lineOf(args))];
}

function lineOf(args: readonly string[]): string {
  return ["sandbank", ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(" ");
}

const SIGNS: Readonly<Record<Verdict, string>> = { passed: "✓", failed: "✗", "not-judged": "?" };

function closing({ verdict, parts, missing, digest }: Certificate): string {
  return [
    ...parts.flatMap(({ name, of, verdict: own, summary, reasons }) => [
      `${SIGNS[own]} ${name}${of === undefined ? "" : ` ${of}`}: ${summary}`,
      ...reasons.map((reason) => `    ${reason}`),
    ]),
    ...(missing.length === 0
      ? []
      : ["Missing for a complete integration:", ...missing.map((one) => `  - ${one}`)]),
    `${verdict.toUpperCase().replace("-", " ")}. Digest ${digest}`,
  ].join("\n");
}
