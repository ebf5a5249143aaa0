import type { TestCase, TestProblem, TestReport, TestSuite } from "./test-report.ts";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/**
 * The report as JUnit XML, which CI servers read, with counts on every level. The time of a suite is the sum of its cases, and is left out
 * where no case has one.
 *
 * ```ts
 * junitXml({ name: "sandbank", suites: [{ name: "a.yaml", cases: [{ name: "an order is paid" }] }] });
 * ```
 */
export function junitXml({ name, suites, output }: TestReport): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const all = element("testsuites", { name, ...countsOf(cases) }, [
    ...suites.flatMap(suiteLines),
    ...outputLines(output),
  ]);
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...all, ""].join("\n");
}

function suiteLines({ name, file, cases }: TestSuite): string[] {
  return element("testsuite", { name, file, ...countsOf(cases) }, cases.flatMap(caseLines));
}

function caseLines({ className, timeSeconds, failure, error, skipped, output, ...one }: TestCase): string[] {
  const attributes = {
    name: one.name,
    classname: className,
    file: one.file,
    line: one.line,
    time: timeSeconds?.toFixed(3),
  };
  return element("testcase", attributes, [
    ...(failure === undefined ? [] : problemLines("failure", failure)),
    ...(error === undefined ? [] : problemLines("error", error)),
    ...(skipped === undefined ? [] : element("skipped", { message: skipped.message })),
    ...outputLines(output),
  ]);
}

function problemLines(tag: "failure" | "error", { message, type, text }: TestProblem): string[] {
  return [`<${tag}${written({ message, type })}>${escapeXml(text)}</${tag}>`];
}

function outputLines(output: string | undefined): string[] {
  return output === undefined ? [] : [`<system-out>${escapeXml(output)}</system-out>`];
}

function countsOf(cases: readonly TestCase[]): Attributes {
  const times = cases.flatMap(({ timeSeconds }) => timeSeconds ?? []);
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: cases.filter(({ error }) => error !== undefined).length,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
    time: times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0).toFixed(3),
  };
}

/** The lines of an element with its children indented. */
function element(tag: string, attributes: Attributes, children: readonly string[] = []): string[] {
  const opening = `<${tag}${written(attributes)}`;
  if (children.length === 0) return [`${opening}/>`];
  return [`${opening}>`, ...children.map((line) => `  ${line}`), `</${tag}>`];
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** XML 1.0 has no control characters, not even escaped ones: each becomes U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}
