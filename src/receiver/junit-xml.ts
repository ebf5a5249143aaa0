import { attributes, escapeXml } from "../scenarios/reporters/xml.ts";

/** A JUnit report, as CI servers read it. */
export interface JUnitReport {
  readonly name: string;
  readonly suites: readonly {
    readonly name: string;
    readonly file?: string;
    readonly cases: readonly JUnitCase[];
  }[];
}

export interface JUnitCase {
  readonly name: string;
  readonly className?: string;
  readonly timeSeconds?: number;
  readonly failure?: JUnitProblem;
  readonly error?: JUnitProblem;
  readonly skipped?: { readonly message: string };
  /** Text about a case that passed, such as a warning. */
  readonly output?: string;
}

export interface JUnitProblem {
  readonly message: string;
  readonly text: string;
  readonly type?: string;
}

/** Stands in for `junitXml` of `scenarios/report-junit.ts`, and goes once that is there. */
export function junitXml({ name, suites }: JUnitReport): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name, ...counts(all) })}>`,
    ...suites.flatMap(({ name: suite, cases }) => [
      `  <testsuite ${attributes({ name: suite, ...counts(cases) })}>`,
      ...cases.map(caseLine),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function counts(cases: readonly JUnitCase[]) {
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure).length,
    skipped: cases.filter(({ skipped }) => skipped).length,
  };
}

function caseLine({ name, className = "", failure, skipped, output }: JUnitCase): string {
  const content = [
    failure &&
      `<failure ${attributes({ message: failure.message, ...(failure.type && { type: failure.type }) })}>${escapeXml(failure.text)}</failure>`,
    skipped && `<skipped ${attributes({ message: skipped.message })}/>`,
    output && `<system-out>${escapeXml(output)}</system-out>`,
  ];
  return `    <testcase ${attributes({ name, classname: className })}>${content.join("")}</testcase>`;
}
