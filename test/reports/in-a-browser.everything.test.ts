import { expect, test } from "vitest";
import { accessibilityViolations, testBrowser } from "../pages/browser.ts";
import { DOUBTED } from "../checks/doubt/doubted.ts";
import { doubtReports } from "../../src/checks/doubt/report.ts";
import { EXPLORED } from "../checks/explore/explored.ts";
import { exploreReports } from "../../src/checks/explore/report.ts";
import { reportPage } from "../../src/reports/page.ts";
import type { Verdict } from "../../src/reports/report.ts";
import { receiverReports } from "../../src/checks/receiver/report.ts";

const openPage = testBrowser();

const CHECKED = receiverReports.html({
  url: "http://127.0.0.1:3000/webhooks",
  seed: 1,
  level: "must",
  requests: 9,
  checks: [
    { id: "S1", title: "Rejects a wrong signature", level: "must", verdict: "pass" },
    {
      id: "I1",
      title: "Handles a duplicate once",
      level: "must",
      verdict: "fail",
      cause: "It was booked twice.",
      fix: "Store its key.",
      evidence: [{ sent: "a copy", expected: "no change", answered: "200", curl: `curl ${"x".repeat(300)}` }],
    },
  ],
});

const RUN = reportPage({
  title: "sandbank",
  suites: ["failed", "passed", "passed"].map((verdict, index) => {
    const name = `scenarios/orders/boleto-due-on-a-weekend-number-${index}.yaml`;
    const lines = ["expected: supplier-with-a-long-name-that-has-no-space-to-break-at", "found: supplier"];
    const evidence = verdict === "failed" ? [{ title: "webhooks[0].code", lines }] : [];
    return {
      name,
      cases: [{ name: "A boleto is due", verdict: verdict as Verdict, remark: name, evidence }],
    };
  }),
});

const PAGES = {
  run: RUN,
  explore: exploreReports.html([EXPLORED]),
  doubt: doubtReports.html(DOUBTED),
  "receiver check": CHECKED,
};

test.each(Object.entries(PAGES))(
  "the report of %s fits a phone and breaks no rule of WCAG 2.2 AA, light and dark",
  async (_, text) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await using opened = await openPage({ viewport: { width: 360, height: 740 }, colorScheme });
      await opened.page.setContent(text);
      expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      expect(await accessibilityViolations(opened.page)).toEqual([]);
      expect(opened.errors).toEqual([]);
    }
  },
);

test("the report of explore leads from a cell to its divergence, which is drawn and compared", async () => {
  await using opened = await openPage({ viewport: { width: 1440, height: 900 } });
  const { page } = opened;
  await page.setContent(PAGES.explore);
  expect(await page.getByLabel("late on event 1: the same state in the end").innerText()).toBe("✓");
  const cell = page.getByRole("link", { name: "twice-late on event 2: another state in the end" });
  const divergence = page.locator((await cell.getAttribute("href")) ?? "");
  expect(await divergence.locator("h3").innerText()).toContain("came twice");
  expect(await divergence.getByRole("img").getAttribute("aria-label")).toContain(
    "2 SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED, time 2, answer lost, twice-late",
  );
  expect(await divergence.locator("mark").allTextContents()).toEqual([
    expect.stringContaining('"status": "paid"'),
    expect.stringContaining('"status": "scheduled"'),
  ]);
});
