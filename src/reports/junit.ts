import { type Case, type Report, type Suite, problemText, warningText } from "./report.ts";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/**
 * Writes a report as JUnit XML, which CI servers read, with counts on every level. The time of a suite is the sum of
 * its cases. It is left out if no case has one.
 *
 * ```ts
 * junitXml({ title: "sandbank", suites: [{ name: "a.yaml", cases: [{ name: "is paid", verdict: "passed" }] }] });
 * ```
 */
export function junitXml({ title, suites, output }: Report): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const all = element("testsuites", { name: title, ...countsOf(cases) }, [
    ...suites.flatMap(suiteLines),
    ...outputLines(output),
  ]);
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...all, ""].join("\n");
}

function suiteLines({ name, cases }: Suite): string[] {
  return element("testsuite", { name, ...countsOf(cases) }, cases.flatMap(caseLines));
}

function caseLines(one: Case): string[] {
  const { name, className, place, timeSeconds } = one;
  const attributes = {
    name,
    classname: className,
    file: place?.file,
    line: place?.line,
    time: timeSeconds?.toFixed(3),
  };
  return element("testcase", attributes, [...problemLines(one), ...outputLines(warningText(one))]);
}

const TAGS = { passed: undefined, failed: "failure", undecided: "error", skipped: "skipped" } as const;

function problemLines(one: Case): string[] {
  const { verdict, summary: message = "", type } = one;
  const tag = TAGS[verdict];
  if (tag === undefined) return [];
  if (tag === "skipped") return element(tag, { message });
  return [`<${tag}${written({ message, type })}>${escapeXml(problemText(one))}</${tag}>`];
}

function outputLines(output: string | undefined): string[] {
  return output === undefined ? [] : [`<system-out>${escapeXml(output)}</system-out>`];
}

function countsOf(cases: readonly Case[]): Attributes {
  const times = cases.flatMap(({ timeSeconds }) => timeSeconds ?? []);
  const having = (verdict: Case["verdict"]): number => cases.filter((one) => one.verdict === verdict).length;
  return {
    tests: cases.length,
    failures: having("failed"),
    errors: having("undecided"),
    skipped: having("skipped"),
    time: times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0).toFixed(3),
  };
}

/** Returns the lines of an element, with its children indented. */
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

/** Escapes a text for XML. XML 1.0 allows no control characters, even escaped, so each becomes U+FFFD. */
function escapeXml(text: string): string {
  return (
    text
      .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
      // GitHub Actions would obey such a line in the output of a step. An entity keeps the text.
      .replaceAll(/::(?<=^[^\S\n]*::)/gm, "&#58;:")
      .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
  );
}
