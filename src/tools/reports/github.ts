import type { TestCase, TestReport } from "./test-report.ts";
import { relative, resolve } from "node:path";

/**
 * Annotations for GitHub Actions, which shows them in the pull request: an error for each case that failed or could
 * not be decided, a warning for each that passed with a remark.
 * The form: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations({ suites }: TestReport): string {
  return suites
    .flatMap(({ name: suite, cases }) => cases.flatMap((one) => annotationOf(one, suite)))
    .map((line) => `${line}\n`)
    .join("");
}

function annotationOf({ file, line, column, ...one }: TestCase, suite: string): string[] {
  const problem = one.failure ?? one.error;
  const message = problem === undefined ? one.output : `${problem.message}\n\n${problem.text}`;
  if (message === undefined) return [];
  const place = file === undefined ? {} : { file: inRepository(file), line, col: column };
  const properties = Object.entries({ ...place, title: `${suite}: ${one.name}` })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return [`::${problem === undefined ? "warning" : "error"} ${properties.join(",")}::${escape(message)}`];
}

/** GitHub finds files from the root of the repository, which need not be the current folder. */
function inRepository(file: string): string {
  return relative(process.env["GITHUB_WORKSPACE"] ?? "", resolve(file));
}

function escape(text: string): string {
  return text.trimEnd().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escape(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
