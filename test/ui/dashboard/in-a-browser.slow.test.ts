import type { BrowserContextOptions, Page } from "playwright-core";
import type { Partner } from "../../partner.ts";
import type { SandboxOptions } from "../../../src/sandbox-interface.ts";
import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import { overflowOf, testBrowser } from "../browser.ts";
import { text } from "node:stream/consumers";

/** What needs no browser is tested in the other files of this folder. */
const openBrowserPage = testBrowser();

/** A page of the dashboard of a new sandbox, with the errors that the browser reported. */
async function openPage({ sandbox, ...browser }: BrowserContextOptions & { sandbox?: SandboxOptions } = {}) {
  const partner = await openPartner(sandbox);
  const { url } = await partner.sandbox.listen();
  const opened = await openBrowserPage(browser);
  const { page, errors } = opened;
  const visit = async (place: string): Promise<void> => {
    await page.goto(`${url}/${place}`);
    await page.locator("#list h2").first().waitFor();
  };
  const close = async (): Promise<void> => {
    await opened[Symbol.asyncDispose]();
    await partner[Symbol.asyncDispose]();
  };
  return { partner, page, errors, visit, [Symbol.asyncDispose]: close };
}

const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).first().innerText();

async function acceptedSubscription(partner: Partner): Promise<string> {
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.webhooks();
  return String(id);
}

test("a new subscription appears, can be accepted by a click, and shows the cause", async () => {
  await using dashboard = await openPage();
  const { partner, page, errors, visit } = dashboard;
  await visit("#/subscriptions");
  await page.getByText("No subscriptions yet").waitFor();
  const { id } = await createSubscription(partner);
  await page.locator("#list a.row").click();
  const plan = page.getByRole("link", { name: "Plan the next outcome" });
  expect(await plan.getAttribute("href")).toContain("plan=subscription.authorization");
  await page.locator("#detail summary", { hasText: "accept" }).click();
  await page.getByLabel("payer › name").fill("Paula Pagadora");
  await page.getByLabel("payer › document › type").selectOption("CPF");
  await page.getByLabel("payer › document › number").fill("52998224725");
  await page.getByRole("button", { name: "accept" }).click();
  await page.locator("#list .badge", { hasText: "ACCEPTED" }).waitFor();
  const accepted = await partner.ask("GET", `/sandbox/resources/subscriptions/${String(id)}`);
  expect(accepted.body).toMatchObject({ status: "ACCEPTED", payer: { name: "Paula Pagadora" } });
  await page.locator("#detail .timeline li", { hasText: "answered 200" }).waitFor();
  await page.locator("#detail .timeline li", { hasText: "→ ACCEPTED" }).getByText("why?").click();
  await page.locator(".why p").first().waitFor();
  expect(await textOf(page, ".why:not([hidden])")).toContain("because of act subscription.accept");
  expect(errors).toEqual([]);
});

test("the page for the payer of a subscription is one click away", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  const { id } = await createSubscription(partner);
  await visit(`#/subscriptions/${String(id)}`);
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "page for the payer" }).click();
  const payerPage = await opened;
  await payerPage.getByRole("button", { name: "Authorize" }).click();
  await page.locator("#list .badge", { hasText: "ACCEPTED" }).waitFor();
  expect(errors).toEqual([]);
});

test("a refused act shows the reason and keeps the typed input", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  const { id } = await createSubscription(partner);
  await visit(`#/subscriptions/${String(id)}`);
  await page.locator("#detail summary", { hasText: "accept" }).click();
  await page.getByLabel("payer › name").fill("Nobody");
  await page.getByRole("button", { name: "accept" }).click();
  expect(await textOf(page, ".notice.bad")).toContain("payer.document");
  expect(await page.getByLabel("payer › name").inputValue()).toBe("Nobody");
});

test("the top bar advances and starts the clock", async () => {
  await using dashboard = await openPage();
  const { page, visit, errors } = dashboard;
  await visit("");
  expect(await textOf(page, "#bar .time")).toBe("09:00:00");
  await page.getByRole("button", { name: "+1 h" }).click();
  await page.locator("#bar .time", { hasText: "10:00:00" }).waitFor();
  await page.getByLabel("Advance by or to").fill("2026-12-01 21:00");
  await page.keyboard.press("Enter");
  await page.locator("#bar .time", { hasText: "21:00:00" }).waitFor();
  await page.getByRole("button", { name: "frozen" }).click();
  await page.locator("#bar .time", { hasText: "21:00:02" }).waitFor();
  expect(errors).toEqual([]);
});

test("the keyboard searches, walks the list and resends a delivery", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  const id = await acceptedSubscription(partner);
  await visit("#/deliveries");
  await page.locator("#list a.row").waitFor();
  await page.keyboard.press("j");
  await page.locator("#detail h2", { hasText: "SUBSCRIPTION.ACCEPTED" }).waitFor();
  await page.keyboard.press("r");
  await page.locator(".dot", { hasText: "2" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("nothing like it");
  await page.getByText("Nothing matches the filters.").waitFor();
  expect(page.url()).toContain("q=nothing+like+it");
  await page.getByLabel("Search deliveries").fill(id);
  await page.locator("#list a.row").waitFor();
  expect(errors).toEqual([]);
});

test("what is selected in the search field stays selected when the list changes", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  await createSubscription(partner, { externalId: "first" });
  await visit("#/subscriptions");
  const search = page.getByLabel("Search subscriptions");
  await search.fill("fir");
  await search.selectText();
  await createSubscription(partner, { externalId: "first again" });
  await page.locator("#list a.row").nth(1).waitFor();
  await page.keyboard.type("again");
  expect(await search.inputValue()).toBe("again");
  await page.getByText("1 of 2").waitFor();
  expect(errors).toEqual([]);
});

test("text of a partner is never markup", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  const externalId = '<img src=x onerror="document.title=1">';
  const { id } = await createSubscription(partner, { externalId, description: "</dd><script>1</script>" });
  await visit(`#/subscriptions/${String(id)}`);
  await page.locator("#detail h2").waitFor();
  expect(await textOf(page, "#detail h2")).toBe(externalId);
  expect(await page.locator("#detail script, #detail img:not(.qr)").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("a reset needs a second click", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await createSubscription(partner);
  await visit("#/subscriptions");
  await page.locator("#list a.row").waitFor();
  await page.locator("#bar").getByRole("button", { name: "Reset" }).click();
  expect(await page.locator("#list a.row").count()).toBe(1);
  await page.getByRole("button", { name: "Really reset?" }).click();
  await page.getByText("No subscriptions yet").waitFor();
});

test("the admin token is asked for once and kept for the tab", async () => {
  await using dashboard = await openPage({ sandbox: { adminToken: "open-sesame" } });
  const { page, visit } = dashboard;
  const shown = visit("#/subscriptions");
  await page.getByLabel("Admin token").fill("open-sesame");
  await page.keyboard.press("Enter");
  await shown;
  await page.getByText("No subscriptions yet").waitFor();
  await page.reload();
  await page.getByText("No subscriptions yet").waitFor();
  expect(await page.locator("dialog").count()).toBe(0);
});

test("changes by other clients appear without a reload, with an admin token too", async () => {
  await using dashboard = await openPage({ sandbox: { adminToken: "open-sesame" } });
  const { partner, page, visit } = dashboard;
  const shown = visit("#/subscriptions");
  await page.getByLabel("Admin token").fill("open-sesame");
  await page.keyboard.press("Enter");
  await shown;
  const opened = page.waitForResponse((response) => response.url().endsWith("/sandbox/timeline/stream"));
  // Without its polling the page learns of changes from the stream alone.
  await page.addInitScript("window.setInterval = () => 0");
  await page.reload();
  expect((await opened).status()).toBe(200);
  await page.getByText("No subscriptions yet").waitFor();
  await createSubscription(partner);
  await page.locator("#list a.row").waitFor();
  await partner.act("subscription.accept", { id: await firstSubscription(partner) });
  await page.locator("#list .badge", { hasText: "ACCEPTED" }).waitFor();
});

async function firstSubscription(partner: Partner): Promise<string> {
  const headers = { "x-admin-token": "open-sesame" };
  const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions", { headers });
  return String((body["data"] as { id: string }[])[0]?.id);
}

test("a shipped and an added scenario run and show their report", async () => {
  await using dashboard = await openPage();
  const { page, visit, errors } = dashboard;
  await visit("#/scenarios/subscriptions%2Faccepted");
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("#detail .badge", { hasText: "passed" }).waitFor();
  expect(await page.locator("#detail .steps li").count()).toBe(5);
  await page.locator("#list summary", { hasText: "new scenario" }).click();
  await page
    .getByLabel("The scenario file")
    .fill("name: It will fail\nsteps:\n  - call: listAccounts\n    expect: { status: 201 }\n");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator("#detail h2", { hasText: "It will fail" }).waitFor();
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("#detail .failure", { hasText: "201" }).waitFor();
  expect(errors).toEqual([]);
});

test("a delivery shows what changed since the event before, and the health of its endpoint", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  const id = await acceptedSubscription(partner);
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
  await partner.advance("PT5S");
  await visit("#/deliveries");
  await page.locator("#list a.row").first().click();
  await page.locator("#detail summary", { hasText: "changes" }).click();
  const status = page.locator("#detail tr", { hasText: "data.status" }).first();
  expect(await status.innerText()).toMatch(/ACCEPTED\s+CANCELED/);
  await page.locator("#list summary", { hasText: "1 endpoint, all answering" }).click();
  await page.locator("#list td", { hasText: "100 % of 3" }).waitFor();
  expect(errors).toEqual([]);
});

test("the recording is downloaded as a file", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  await createSubscription(partner);
  await visit("#/recording");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("recording.yaml");
  expect(await text(await file.createReadStream())).toBe(await partner.sandbox.recording());
  expect(errors).toEqual([]);
});

test("the coverage counts what happens", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await visit("#/coverage");
  const row = page.locator(".covered li", { hasText: "subscription.accept: PENDING_AUTHORIZATION" });
  expect(await row.locator(".count").innerText()).toBe("–");
  await acceptedSubscription(partner);
  await row.locator(".count", { hasText: "× 1" }).waitFor();
});

test("each world has its own page", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  await createSubscription(partner);
  await partner.ask("POST", "/sandbox/worlds", {
    body: { name: "quiet", start: "2027-01-04T08:00:00-03:00" },
  });
  await visit("#/subscriptions");
  await page.getByLabel("World", { exact: true }).selectOption("w1");
  await page.getByText("No subscriptions yet").waitFor();
  expect(await textOf(page, "#bar .time")).toBe("08:00:00");
  expect(page.url()).toContain("?world=w1");
  expect(errors).toEqual([]);
});

test.each([
  "subscriptions",
  "deliveries",
  "timeline",
  "ledger",
  "plans",
  "faults",
  "inbox",
  "scenarios",
  "recording",
  "coverage",
  "assumptions",
  "world",
])("%s fits a narrow page", async (view) => {
  await using dashboard = await openPage({ viewport: { width: 390, height: 844 } });
  const { partner, page, visit, errors } = dashboard;
  await acceptedSubscription(partner);
  await visit(`#/${view}`);
  await page.locator("#list section").nth(1).waitFor();
  expect(await overflowOf(page)).toBe(0);
  expect(errors).toEqual([]);
});
