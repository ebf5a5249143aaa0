import type { Lint } from "../../simulator/api/generated/shapes.ts";
import type { ExploreResult } from "../explore/exploration.ts";
import type { BooksFinding } from "../../scenarios/books/finding.ts";
import { createHash } from "node:crypto";
import type { Capability } from "./capabilities.ts";
import type { Counted, MissingPoint, NotShown, PartName, PartVerdict } from "./counted.ts";
import { english } from "./english.ts";
import { packageVersion } from "../../base/package.ts";
import type { CheckResult } from "../receiver/run-checks.ts";
import {
  type ReceiverReport,
  counts,
  openQuestions,
  checksReport,
  receiverJson,
  verdictOf,
} from "../receiver/report.ts";
import { type ScenarioResult, countResults } from "../../scenarios/result.ts";
import { runReport, scenariosReport } from "../../scenarios/report.ts";
import { exploreReport } from "../explore/report.ts";
import type { DoubtReport } from "../doubt/mutants.ts";
import { failedText, isFinding, remarksOn, unnoticedText } from "../doubt/words.ts";
import { mutantsReport } from "../doubt/report.ts";
import { defined, isRecord } from "../../simulator/engine/json.ts";
import { joinedTime, type TimeReport } from "../../base/spent-time.ts";
import type { Report } from "../../reports/report.ts";
import {
  type VerificationReport,
  hasPassed,
  contractsReport,
  verificationJson,
} from "../../contracts/verification/report.ts";

/** One part of the proof. */
export interface CertifiedPart {
  readonly name: PartName;
  readonly verdict: PartVerdict;
  /** The result, in a sentence. */
  readonly summary: string;
  /** The reasons if it did not pass, as sentences. */
  readonly reasons: readonly string[];
  /** The file or folder, if several are named. */
  readonly of?: string;
  /** The JSON report of the command, or the calls of the client. */
  readonly report?: unknown;
}

/** A part with the results that the certificate joins. The JSON of the part does not contain them. */
export interface ProvenPart extends CertifiedPart {
  /** The command's own report. */
  readonly found?: Report;
  readonly books?: ComparedBooks;
  readonly time?: TimeReport | undefined;
  /** The summary in numbers. */
  readonly counted: Counted;
  /** The points of a complete integration that it found to be missing. */
  readonly missing?: readonly MissingPoint[];
}

/** The result of a part, before it has its name. */
export type PartResult = Omit<ProvenPart, "name" | "of">;

/** The number of comparisons of the partner's books with the ledger, and the differences. */
export interface ComparedBooks {
  readonly moments: number;
  readonly findings: readonly BooksFinding[];
}

/** The languages of the document. The findings of a part are in English in each. */
export const LANGUAGES = ["en", "pt-BR"] as const;

/** `report.json`. */
export interface Certificate {
  /** The owner of the integration. */
  readonly partner?: string;
  /** The day of the check. The digest does not include it. */
  readonly date: string;
  /** The duration of the parts with the partner's system, and the shares of it. The digest does not include it. */
  readonly time?: TimeReport;
  /** The subject of the integration. Parts outside of it are not missing. Empty for everything. */
  readonly capabilities: readonly Capability[];
  /** The language of the page. */
  readonly language: (typeof LANGUAGES)[number];
  readonly verdict: PartVerdict;
  readonly parts: readonly CertifiedPart[];
  /** The parts of a complete integration that this one has not shown. */
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

/** Returns the result of the checks of a receiver. */
export function partOfReceiver(report: ReceiverReport): PartResult {
  const having = (verdict: string) => report.checks.filter((check) => check.verdict === verdict);
  const { required = [], advice = [] } = Object.groupBy(
    [...having("fail"), ...having("inconclusive")],
    ({ level }) => (counts(level, report.level) ? "required" : "advice"),
  );
  const failed = required.filter(({ verdict }) => verdict === "fail").length;
  const sentence = ({ id, title, cause = "" }: CheckResult): string => `${id} ${title}: ${cause}`;
  const reasons = [...required.map(sentence), ...advice.map((check) => `Advice: ${sentence(check)}`)];
  return resultOf({
    report: receiverJson(report),
    found: checksReport(report),
    time: report.time,
    verdict: verdictOf(report),
    counted: {
      of: "check",
      passed: having("pass").length,
      failed,
      undecided: required.length - failed,
      all: report.checks.length - having("skipped").length,
    },
    reasons: reasons.length > 0 ? reasons : openQuestions(report).split("\n"),
  });
}

/** Suspicious calls that no integration may make: money moves twice, or does not move though it was promised. */
const FAILING_LINTS: ReadonlySet<string> = new Set(["two-keys", "refused-but-accepted"]);

/** Returns true if a suspicious call fails the certificate. */
export function isFailure({ lint }: Lint): boolean {
  return FAILING_LINTS.has(lint);
}

function failuresIn(results: readonly { readonly lints?: readonly Lint[] }[]): string[] {
  return results.flatMap(({ lints = [] }) =>
    lints.filter(isFailure).map(({ message, fix }) => `${message} ${fix}`),
  );
}

/** Returns the other suspicious calls. A person has to look at them, and they do not fail the part. */
export function adviceIn(results: readonly { readonly lints?: readonly Lint[] }[]): string[] {
  return results.flatMap(({ lints = [] }) =>
    lints.flatMap((one) => (isFailure(one) ? [] : [`Advice (${one.lint}): ${one.message} ${one.fix}`])),
  );
}

/** Returns the result of an exploration. It proves something only if at least one schedule was tried. */
export function partOfExplorations(results: readonly ExploreResult[]): PartResult {
  const tried = results.reduce((sum, { schedules }) => sum + schedules.tried, 0);
  const divergences = results.flatMap((result) => result.divergences.filter((one) => one.accepted !== true));
  const suspicious = failuresIn(results);
  const isFailed = divergences.length + suspicious.length > 0;
  const isTried = tried > 0 && results.every(({ verdict }) => verdict !== "not-tried");
  const isDecided = results.every(({ verdict }) => verdict !== "undecided");
  return resultOf({
    report: results.length === 1 ? results[0] : { results },
    found: exploreReport(results),
    time: joinedTime(results.flatMap(({ time }) => time ?? [])),
    verdict: !isTried ? "not-judged" : isFailed ? "failed" : isDecided ? "passed" : "not-judged",
    counted: { of: "schedules", tried, diverged: divergences.length },
    books: {
      moments: results.reduce((sum, { booksCompared = 0 }) => sum + booksCompared, 0),
      findings: results.flatMap((one) => one.divergences.flatMap(({ books = [] }) => books)),
    },
    reasons: [
      ...results.flatMap(({ reason, unfinished }) => reason ?? unfinished ?? []),
      ...divergences.map(divergenceText),
      ...suspicious,
    ],
    advice: adviceIn(results),
  });
}

function divergenceText({ title, words, differences, cause }: ExploreResult["divergences"][number]): string {
  const what = words ?? `${differences[0]?.path ?? "the state"} differs`;
  return `${title}: ${what}. ${cause.text}`;
}

/** Returns the result of scenarios. */
export function partOfScenarios(results: readonly ScenarioResult[]): PartResult {
  const { passed, failed, skipped } = countResults(results);
  const suspicious = failuresIn(results);
  // A request without an answer says nothing about the integration.
  const unreached = results.filter(({ failure }) => failure?.answer?.status === null);
  return resultOf({
    report: runReport(results),
    found: scenariosReport({ results }),
    time: joinedTime(results.flatMap(({ time }) => time ?? [])),
    verdict:
      failed - unreached.length + suspicious.length > 0
        ? "failed"
        : passed > 0 && unreached.length === 0
          ? "passed"
          : "not-judged",
    counted: {
      of: "scenario",
      passed,
      failed: failed - unreached.length,
      undecided: unreached.length,
      all: results.length - skipped,
    },
    books: {
      moments: results.reduce((sum, { booksCompared = 0 }) => sum + booksCompared, 0),
      findings: results.flatMap(({ failure }) => failure?.books ?? []),
    },
    reasons: [
      ...results.flatMap(({ name, status, failure }) =>
        status === "failed" ? [`${name}: ${failure?.message ?? ""}`] : [],
      ),
      ...suspicious,
    ],
    advice: adviceIn(results),
  });
}

/** Returns the result of contracts. */
export function partOfContracts(report: VerificationReport): PartResult {
  const interactions = report.pacts.flatMap((pact) => pact.interactions);
  const having = (verdict: string) => interactions.filter((one) => one.verdict === verdict);
  const [passed, failed] = [having("passed"), having("failed")];
  return resultOf({
    report: verificationJson(report),
    found: contractsReport(report),
    verdict: !hasPassed(report) ? "failed" : passed.length > 0 ? "passed" : "not-judged",
    counted: {
      of: "interaction",
      passed: passed.length,
      failed: failed.length,
      undecided: 0,
      all: interactions.length,
    },
    reasons: failed.map(({ description }) => `${description} does not match.`),
  });
}

/** Returns the result of the tests for other behaviour of the platform. Unnoticed mutants are missing parts. */
export function partOfDoubt(report: DoubtReport): PartResult {
  const found = report.mutants.filter(isFinding);
  const broke = found.filter(({ family, confirmed }) => family === "doubts" && confirmed !== "confirmed");
  const run = report.mutants.filter(({ seconds }) => seconds !== null).length;
  return {
    ...resultOf({
      report,
      found: mutantsReport(report),
      verdict:
        run === 0 || report.verdict === "undecided" ? "not-judged" : broke.length > 0 ? "failed" : "passed",
      counted: { of: "mutants", run, broke: broke.length, unnoticed: found.length - broke.length },
      reasons: [
        ...broke.map((one) => `${one.says}: ${failedText(one)}.`),
        ...(report.verdict === "undecided" ? remarksOn(report) : []),
      ],
    }),
    missing: found.flatMap(({ id, family, says }) =>
      family === "sabotage" ? { unnoticed: says, means: unnoticedText(id) } : [],
    ),
  };
}

function resultOf({
  reasons,
  advice = [],
  ...rest
}: Omit<PartResult, "summary"> & { readonly advice?: readonly string[] }): PartResult {
  const summary = english.summary(rest.counted);
  return { ...rest, summary, reasons: [...(rest.verdict === "passed" ? [] : reasons), ...advice] };
}

/** Makes the certificate over all parts, with its digest. */
export function certificateOf({
  parts,
  seed,
  use,
  repeat,
  subject,
}: {
  readonly parts: readonly ProvenPart[];
  readonly seed: number;
  /** The use of the platform API by a partner's client, as a running sandbox saw it. */
  readonly use: Pick<Certificate, "assumptions"> | undefined;
  readonly repeat: readonly string[];
  readonly subject: Pick<Certificate, "partner" | "date" | "capabilities" | "language">;
}): Certificate {
  const { date, ...scope } = subject;
  const has = (verdict: PartVerdict): boolean => parts.some((part) => part.verdict === verdict);
  const content = {
    verdict: has("failed")
      ? ("failed" as const)
      : has("not-judged")
        ? ("not-judged" as const)
        : ("passed" as const),
    ...scope,
    parts: parts.map(
      ({ found: _found, books: _books, time: _time, missing: _missing, counted: _counted, ...part }) => part,
    ),
    missing: missingIn(parts).map(english.missingPoint),
    versions: { sandbank: packageVersion(), node: process.versions.node },
    seed,
    assumptions: use?.assumptions ?? {},
    repeat,
  };
  const digest = createHash("sha256").update(JSON.stringify(content, withoutTime)).digest("hex");
  const time = joinedTime(parts.flatMap((part) => part.time ?? []));
  return { ...content, date, ...defined({ time }), digest };
}

/** Leaves the times of the commands out of a digest. */
function withoutTime(key: string, value: unknown): unknown {
  return key === "time" && isRecord(value) && "shares" in value ? undefined : value;
}

/** Parts that every integration can show. */
const SHOWN: readonly NotShown[] = ["explore", "scenarios", "contracts", "receiver", "client"];

/** Returns the points of a complete integration that the parts have not shown. */
export function missingIn(parts: readonly ProvenPart[]): readonly MissingPoint[] {
  const named = new Set(parts.map(({ name }) => name));
  const unnamed = SHOWN.filter((part) => !named.has(part)).map((part) => ({ part }));
  const [client = [], others = []] = [true, false].map((isClient) =>
    parts.filter(({ name }) => (name === "client") === isClient).flatMap(({ missing = [] }) => missing),
  );
  return [...unnamed, ...client, ...others];
}
