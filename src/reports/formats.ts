import { githubAnnotations } from "./github.ts";
import { junitXml } from "./junit.ts";
import { markdownSummary } from "./markdown.ts";
import { prettyText } from "./pretty.ts";
import type { Report } from "./report.ts";
import { reportPage } from "./page.ts";

/** Returns the formats of a tool: its own JSON, and the others by its report. */
export function reportFormats<Found>(reportOf: (found: Found) => Report, jsonOf: (found: Found) => string) {
  return {
    pretty: (found: Found, isColoured = false) => prettyText(reportOf(found), isColoured),
    json: (found: Found) => jsonOf(found),
    junit: (found: Found) => junitXml(reportOf(found)),
    github: (found: Found) => githubAnnotations(reportOf(found)),
    markdown: (found: Found) => markdownSummary(reportOf(found)),
    html: (found: Found) => reportPage(reportOf(found)),
  };
}

/** Returns a value as indented JSON. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
