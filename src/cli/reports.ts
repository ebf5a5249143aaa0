import { COMPLETE } from "./command.ts";
import type { Flag } from "./flags.ts";
import { UsageError } from "../base/failures.ts";
import type { Report } from "../reports/report.ts";
import { conclusionOf } from "../reports/conclusion.ts";
import { endWith } from "./exit-code.ts";
import { withoutCommands } from "../base/visible-text.ts";
import { note } from "./standard-streams.ts";
import { requireWritable, writeOutput } from "./output.ts";

/** A report as `--reporter` names it: a format, and the file it goes to. */
export interface ReporterFlag<Format extends string> {
  readonly format: Format;
  readonly file?: string;
}

/** An open report: the destination of its text, and its possible form there. */
export interface OpenReport<Format extends string> {
  readonly format: Format;
  readonly write: (text: string) => void;
  /** True if a line of progress can be shown. */
  readonly isTerminal: boolean;
  readonly isColoured: boolean;
}

/**
 * `--reporter FORMAT[=FILE]`, repeatable. The default is `SANDBANK_REPORTER`, a list with commas, and then the first
 * of the formats.
 */
export function reporterFlag<Format extends string>(
  formats: readonly Format[],
): Flag<readonly ReporterFlag<Format>[]> {
  return {
    type: "string",
    array: true,
    nargs: 1,
    get default() {
      return process.env["SANDBANK_REPORTER"]?.split(",") ?? formats.slice(0, 1);
    },
    describe: `Format of the report: ${formats.join(", ")}; FORMAT=FILE writes it to a file (repeatable)`,
    // A shell proposes the formats. In a command line they may name a file, too.
    ...(process.argv.includes(COMPLETE) && { choices: formats }),
    read: (written: readonly string[]) => written.map((one) => readReporter(one, formats)),
  };
}

function readReporter<Format extends string>(
  written: string,
  formats: readonly Format[],
): ReporterFlag<Format> {
  const [, name = "", file] = /^([^=]*)(?:=(.*))?$/s.exec(written) ?? [];
  const format = formats.find((one) => one === name);
  if (format === undefined)
    throw new UsageError(`--reporter must be one of ${formats.join(", ")}; found "${name}".`);
  if (file === "")
    throw new UsageError(`--reporter ${format}= names no file. Write --reporter ${format}=report.txt.`);
  return { format, ...(file !== undefined && { file }) };
}

/** The destinations of the reports: `--reporter` and `--out`. */
interface ReportFlags<Format extends string> {
  readonly reporter: readonly ReporterFlag<Format>[];
  readonly out?: string | undefined;
}

/** Throws if a report cannot be written, before a command works for minutes. */
export async function requireReports(flags: ReportFlags<string>): Promise<void> {
  const unnamed = flags.reporter.filter(({ format, file }) => file === undefined && format !== "github");
  if (unnamed.length > 1) {
    const [first, second] = unnamed.map(({ format }) => format);
    throw new UsageError(
      `${first} and ${second} would both go to ${flags.out ?? "standard output"}. Name a file: --reporter ${second}=FILE.`,
    );
  }
  for (const { file } of flags.reporter) await requireWritable(file);
  await requireWritable(flags.out);
}

/** Ends a command by its report: sets the exit code, and says why nothing was decided. */
export function endBy(report: Pick<Report, "suites">): void {
  const { verdict, reasons } = conclusionOf(report);
  endWith(verdict);
  if (verdict === "undecided") note(`${reasons.join("\n")}\n`);
}

/** Writes each report of a command that is done. */
export function writeReports<Format extends string>(
  flags: ReportFlags<Format>,
  textOf: (report: Pick<OpenReport<Format | "markdown">, "format" | "isColoured">) => string,
): Promise<void> {
  return withReports(flags, (reports) => reports.forEach((report) => report.write(textOf(report))));
}

/**
 * Opens the reports and writes them when the work is done. A report without a file goes to `--out` or to standard
 * output. Annotations for GitHub always go to standard output, because GitHub reads them there. If GitHub names a file
 * for the summary of the step, the same report is added there as Markdown.
 */
export async function withReports<Format extends string, Result>(
  { reporter, out }: ReportFlags<Format>,
  work: (reports: readonly OpenReport<Format | "markdown">[]) => Result | Promise<Result>,
): Promise<Result> {
  const texts: { file: string; isAdded: boolean; text: string }[] = [];
  const open = <Name extends string>(format: Name, file: string | undefined, isAdded = false) => {
    const isTerminal = file === undefined && process.stdout.isTTY;
    // https://no-color.org: any value that is not empty turns colours off.
    const isColoured = isTerminal && (process.env["NO_COLOR"] ?? "") === "";
    const shown = format === "github" ? (text: string) => text : withoutCommands;
    if (file === undefined)
      return {
        format,
        isTerminal,
        isColoured,
        write: (text: string) => void process.stdout.write(shown(text)),
      };
    const written = { file, isAdded, text: "" };
    texts.push(written);
    return { format, isTerminal, isColoured, write: (text: string) => void (written.text += text) };
  };
  const summary = process.env["GITHUB_STEP_SUMMARY"] || undefined;
  const result = await work(
    reporter.flatMap(({ format, file }): OpenReport<Format | "markdown">[] => {
      if (format !== "github") return [open(format, file ?? out)];
      const annotations = open(format, file);
      return summary === undefined ? [annotations] : [annotations, open("markdown", summary, true)];
    }),
  );
  for (const { file, isAdded, text } of texts) await writeOutput(text, file, { isAdded });
  return result;
}
