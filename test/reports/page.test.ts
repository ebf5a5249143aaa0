import { expect, test } from "vitest";
import type { Case, Suite } from "../../src/reports/report.ts";
import { reportPage } from "../../src/reports/page.ts";

const suite = (name: string, verdict: Case["verdict"]): Suite => ({
  name,
  cases: [{ name: `case of ${name}`, verdict, remark: name }],
});

test("a page has its result in its title, and one table for all files that passed", () => {
  const suites = [suite("a.yaml", "passed"), suite("b.yaml", "failed"), suite("c.yaml", "passed")];
  const page = reportPage({ title: "sandbank", suites }).replaceAll("<wbr/>", "");
  expect(page).toMatch(/<title>[^<]*1 failed[^<]* · sandbank<\/title>/);
  expect(page.match(/<summary>/g)).toHaveLength(1);
  expect(page).toContain("<summary>2 passed</summary>");
  expect(page).toContain("a.yaml: case of a.yaml");
  expect(page).not.toContain(">a.yaml<");
  expect(page.indexOf("case of b.yaml")).toBeLessThan(page.indexOf("<summary>"));
});
