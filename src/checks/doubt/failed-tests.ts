import { readUserText } from "../../base/user-file.ts";
import { globSync, statSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** A test that failed, by the name that its runner gives it. */
export interface FailedTest {
  readonly name: string;
  readonly file?: string;
}

/** The maximum number of listed failures of one run. */
const FAILED_MAX = 100;

/** The lines for a failed test in the output of each runner. The groups `name` and `file` name the test. */
const FORMS: readonly RegExp[] = [
  // vitest, with a project or without: FAIL  |fast| test/charges.test.ts > charges > a resent charge is booked once
  /^\s*FAIL\s+(?:\|[^|]+\|\s+|\S+\s+)?(?<file>\S+\.[cm]?[jt]sx?) > (?<name>.+)$/,
  // jest:  ● charges › a resent charge is booked once
  /^\s*● (?!Console)(?<name>.+ › .+|(?!Test suite failed).+)$/,
  // node:test, as TAP: not ok 1 - a resent charge is booked once
  /^\s*not ok \d+ - (?<name>.+)$/,
  // node:test: ✖ a resent charge is booked once (12.3ms)
  /^\s*✖ (?<name>.+) \([\d.]+ms\)$/,
  // pytest: FAILED tests/test_charges.py::test_resent - AssertionError
  /^(?:FAILED|ERROR) (?<file>\S+?\.py)::(?<name>\S+)/,
  // Maven: [ERROR]   ChargesTest.resentIsBookedOnce:42 expected
  /^\[ERROR\]\s+(?<name>\w+\.\w+):\d+/,
  // Gradle: ChargesTest > resentIsBookedOnce() FAILED
  /^(?<name>\w[\w.$]* > .+) FAILED$/,
  // JUnit's console: JUnit Jupiter:ChargesTest:resentIsBookedOnce()
  /^\s*JUnit \w+:(?<name>[^:]+:.+)$/,
  // Go: --- FAIL: TestResent (0.01s)
  /^\s*--- FAIL: (?<name>\S+) \([\d.]+s\)$/,
];

/** Finds the names of the failed tests in the output of a runner, each once. */
export function failedTestsIn(output: string): FailedTest[] {
  const found = new Map<string, FailedTest>();
  for (const line of stripVTControlCharacters(output).split("\n")) {
    for (const form of FORMS) {
      const { name, file } = form.exec(line.trimEnd())?.groups ?? {};
      if (name === undefined || found.has(name)) continue;
      found.set(name, { name, ...(file !== undefined && { file }) });
      break;
    }
    if (found.size >= FAILED_MAX) break;
  }
  return withoutFiles([...found.values()]);
}

/** Leaves out files. node:test also names a file if one of its tests failed. */
function withoutFiles(tests: readonly FailedTest[]): FailedTest[] {
  const isFile = ({ name }: FailedTest): boolean => /\.[cm]?[jt]s$/.test(name);
  return tests.some((one) => !isFile(one)) ? tests.filter((one) => !isFile(one)) : [...tests];
}

/** Returns the failed tests in JUnit reports that were written since an instant of the wall clock. */
export function failedTestsInJunit(pattern: string, sinceMs: number): FailedTest[] {
  const files = globSync(pattern).filter((file) => statSync(file).mtimeMs >= sinceMs);
  return files.flatMap((file) => Array.from(failedCases(readUserText(file)))).slice(0, FAILED_MAX);
}

const ATTRIBUTES = String.raw`(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)`;
const TEST_CASE = new RegExp(String.raw`<testcase${ATTRIBUTES}\s*(?:/>|>)`, "g");
const END = "</testcase>";

/** Finds the failed tests of a JUnit report. */
export function* failedCases(xml: string): Generator<FailedTest> {
  let end = 0;
  for (const { groups, index, 0: tag } of xml.matchAll(TEST_CASE)) {
    if (index < end || tag.endsWith("/>")) continue;
    const start = index + tag.length;
    end = xml.indexOf(END, start);
    if (end === -1) return;
    const { attributes = "" } = groups ?? {};
    const content = xml.slice(start, end);
    if (!/<(?:failure|error)[\s/>]/.test(content)) continue;
    const file = attributeIn(attributes, "file");
    yield { name: attributeIn(attributes, "name") ?? "", ...(file !== undefined && { file }) };
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function attributeIn(attributes: string, name: string): string | undefined {
  const [, first, second] =
    new RegExp(String.raw`\s${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return (first ?? second)?.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, entity) => {
    if (entity !== undefined) return ENTITIES[String(entity)] ?? whole;
    return String.fromCodePoint(decimal === undefined ? parseInt(String(hex), 16) : Number(decimal));
  });
}

const MESSAGE = /^\s*(?:E\s+)?((?:[A-Z]\w*(?:Error|Exception|Failure|Refusal)\b)[^:]*: .+|assert .+)$/;

/** Returns the first line of an output with the reason of a failure. Undefined if no line looks like that. */
export function messageIn(output: string): string | undefined {
  for (const line of stripVTControlCharacters(output).split("\n")) {
    const [, message] = MESSAGE.exec(line) ?? [];
    if (message !== undefined) return message.trim();
  }
  return undefined;
}
