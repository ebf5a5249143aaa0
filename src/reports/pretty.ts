import { type Case, type Evidence, type Report, type Suite, byCause, markOf } from "./report.ts";
import { styleText } from "node:util";
import { visible, visibleLines } from "../base/visible-text.ts";

type Format = Parameters<typeof styleText>[0];

/** Writes a report for a person at a terminal. */
export function prettyText(report: Report, isColoured = false): string {
  return new PrettyText(isColoured).report(report);
}

const COLOURS: Readonly<Record<string, Format>> = {
  "✓": "green",
  "✗": "red",
  "?": "yellow",
  "!": "yellow",
  "-": "yellow",
};

/** Writes the parts of a report, with colours or without. Texts of others control no terminal. */
export class PrettyText {
  readonly #isColoured: boolean;

  constructor(isColoured: boolean) {
    this.#isColoured = isColoured;
  }

  paint(format: Format, text: string): string {
    return this.#isColoured ? styleText(format, text, { validateStream: false }) : text;
  }

  report({ head = [], suites, output, end = [] }: Report): string {
    const parts = [
      head.map(visibleLines),
      ...suites.map((suite) => this.#suite(suite)),
      output?.split("\n") ?? [],
      end.map(visibleLines),
    ].filter((lines) => lines.length > 0);
    return `${parts
      .map((lines) => lines.join("\n"))
      .join("\n\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trimEnd()}\n`;
  }

  #suite({ heading, verdict, remark, intro = [], evidence = [], cases, end = [] }: Suite): string[] {
    const mark = verdict === undefined ? "" : `${this.mark(markOf({ verdict }))} `;
    const inset = heading === undefined || verdict !== undefined ? "" : "  ";
    const under = verdict === undefined ? "" : "    ";
    return [
      ...(heading === undefined ? [] : [`${mark}${visible(heading)}${this.#remark(remark)}`]),
      ...intro.flatMap(linesOf).map((line) => under + visibleLines(line)),
      ...evidence.flatMap((one) => this.#evidence(one)).map((line) => (line === "" ? "" : `  ${line}`)),
      ...this.#cases(cases, inset, verdict !== undefined),
      ...(end.length === 0 ? [] : ["", ...end.map((line) => `  ${visibleLines(line)}`)]),
    ];
  }

  #cases(cases: readonly Case[], inset: string, isApart: boolean): string[] {
    const shown = cases.filter(({ isMinor }) => isMinor !== true);
    const sections = Map.groupBy(shown, ({ section }) => section);
    return Array.from(sections).flatMap(([section, own]) => [
      ...(section === undefined ? [] : ["", this.paint("bold", `${section} (${own.length})`)]),
      ...byCause(own).flatMap(({ first, others }) => [
        ...(isApart ? [""] : []),
        ...this.case(first, inset),
        ...(others.length === 0 ? [] : [`${inset}    The same cause in ${others.length} more:`]),
        ...others.map((one) => `${inset}      ${this.#line(one)}`),
      ]),
    ]);
  }

  /** Returns the lines of a case: its title, and why it did not pass. */
  case(one: Case, inset = ""): string[] {
    const { summary, verdict, reasons = summary === undefined ? [] : [summary], evidence = [] } = one;
    const why = reasons.flatMap(linesOf).map(visibleLines);
    const proof = evidence.flatMap((part) => this.#evidence(part));
    const isLong = proof.includes("");
    const body = [
      ...why.map((line) => (verdict === "failed" && line === summary ? this.paint("red", line) : line)),
      ...proof,
      ...(isLong ? [""] : []),
      ...(one.warnings ?? []).flatMap(linesOf).map((line) => this.paint("yellow", visibleLines(line))),
    ];
    return [inset + this.#line(one), ...body.map((line) => (line === "" ? "" : `${inset}    ${line}`))];
  }

  mark(mark: string): string {
    return this.paint(COLOURS[mark] ?? "dim", mark);
  }

  #line(one: Case): string {
    return `${this.mark(markOf(one))} ${visible(one.title ?? one.name)}${this.#remark(one.remark)}`;
  }

  #remark(remark: string | undefined): string {
    return remark === undefined ? "" : ` ${this.paint("dim", visible(remark))}`;
  }

  #evidence({ title, lines, isFor }: Evidence): string[] {
    if (isFor === "ci") return [];
    const texts = lines.flatMap(linesOf).map((line) => this.#proof(visibleLines(line)));
    return title === undefined ? texts : ["", this.paint("bold", visible(title)), ...texts];
  }

  /** Colours the mark of a step and the names of two compared values. */
  #proof(line: string): string {
    return line
      .replace(/^( *)([✓✗]) /, (_, space: string, mark: string) => `${space}${this.mark(mark)} `)
      .replace(/^ *(?:expected|baseline)[^:]*:/, (label) => this.paint("green", label))
      .replace(/^ *(?:found|here|nearest of)[^:]*:/, (label) => this.paint("red", label));
  }
}

function linesOf(text: string): string[] {
  return text.split("\n");
}
