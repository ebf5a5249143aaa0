import { expect, test } from "vitest";
import type { Report } from "../../src/reports/report.ts";
import { githubAnnotations } from "../../src/reports/github.ts";
import { markdownSummary } from "../../src/reports/markdown.ts";

const report: Report = {
  title: "sandbank run",
  suites: [
    {
      name: "a, b.yaml",
      cases: [
        { name: "is paid", verdict: "passed" },
        {
          name: "is refunded: 100%",
          verdict: "failed",
          place: { file: "a, b.yaml", line: 7, column: 5 },
          summary: "status: expected PAID",
          evidence: [{ lines: ["found", "CANCELED"] }],
        },
        { name: "| <b>", verdict: "undecided", summary: "nobody knows", reasons: ["```"] },
        { name: "is slow", verdict: "passed", warnings: ["warn: 9 s"] },
        { name: "is not here", verdict: "skipped", summary: "no receiver" },
      ],
    },
  ],
};

test("GitHub gets an error for each failure at its place, and a warning for each remark", () => {
  expect(githubAnnotations(report)).toBe(
    [
      "::error file=a%2C b.yaml,line=7,col=5,title=a%2C b.yaml%3A is refunded%3A 100%25::status: expected PAID%0A%0Afound%0ACANCELED",
      "::error title=a%2C b.yaml%3A | <b>::nobody knows%0A%0A```",
      "::warning title=a%2C b.yaml%3A is slow::warn: 9 s",
      "",
    ].join("\n"),
  );
});

test("Markdown begins with the counts and what failed, and shows texts of others as texts", () => {
  expect(markdownSummary(report)).toBe(`## sandbank run: 1 failed, 1 not decided, 2 passed, 1 skipped

### ❌ is refunded: 100%

\`a, b.yaml:7:5\`

\`\`\`text
status: expected PAID

found
CANCELED
\`\`\`

### ❔ \\| &lt;b>

\`a, b.yaml\`

\`\`\`\`text
nobody knows

\`\`\`
\`\`\`\`

<details><summary>a, b.yaml: 1 failed, 1 not decided, 2 passed, 1 skipped</summary>

| | | |
| --- | --- | --- |
| ✅ passed | is paid |  |
| ❌ failed | is refunded: 100% | status: expected PAID |
| ❔ not decided | \\| &lt;b> | nobody knows |
| ✅ passed | is slow | warn: 9 s |
| ➖ skipped | is not here | no receiver |

</details>
`);
});

test("Markdown stays below the limit of a summary and says what is left out", () => {
  const failed = { verdict: "failed", summary: "long", reasons: ["x".repeat(300_000)] } as const;
  const cases = ["one", "two", "three"].map((name) => ({ name, ...failed }));
  const summary = markdownSummary({ title: "sandbank run", suites: [{ name: "all", cases }] });
  expect(summary.length).toBeLessThan(501_000);
  expect(summary).toContain("more parts are left out");
  expect(summary).toContain("### ❌ one");
});
