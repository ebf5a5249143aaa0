import { type Case, type Report, isProblem, problemText, warningText } from "./report.ts";
import { relative, resolve } from "node:path";

/**
 * Annotations for GitHub Actions, which shows them in the pull request: an error for each case that failed or could
 * not be decided, a warning for each that passed with a remark.
 * The form: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations({ suites }: Report): string {
  return suites
    .flatMap(({ name: suite, cases }) => cases.flatMap((one) => annotationOf(one, suite)))
    .map((line) => `${line}\n`)
    .join("");
}

function annotationOf(one: Case, suite: string): string[] {
  const { name, place, summary = "", verdict } = one;
  const message = isProblem(one) ? `${summary}\n\n${problemText(one)}` : warningText(one);
  if (message === undefined) return [];
  const at = place && { file: inRepository(place.file), line: place.line, col: place.column };
  const properties = Object.entries({ ...at, title: `${suite}: ${name}` })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  const level = isProblem(one) ? "error" : "warning";
  return verdict === "skipped" ? [] : [`::${level} ${properties.join(",")}::${escape(message)}`];
}

/** Returns the path of a file from the root of the repository, because GitHub does not know the current folder. */
function inRepository(file: string): string {
  return relative(process.env["GITHUB_WORKSPACE"] ?? "", resolve(file));
}

function escape(text: string): string {
  return text.trimEnd().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escape(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
