import { githubAnnotations } from "./github.ts";
import { junitXml } from "./junit.ts";
import { markdownSummary } from "./markdown.ts";
import type { TestReport } from "./test-report.ts";

/** The formats that every command shares, for what it found. */
export function sharedFormats<Found extends readonly unknown[]>(reportOf: (...found: Found) => TestReport) {
  return {
    junit: (...found: Found) => junitXml(reportOf(...found)),
    github: (...found: Found) => githubAnnotations(reportOf(...found)),
    markdown: (...found: Found) => markdownSummary(reportOf(...found)),
  };
}
