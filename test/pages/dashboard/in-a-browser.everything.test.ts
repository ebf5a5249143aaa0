import type { BrowserContextOptions, Page } from "playwright-core";
import type { SandboxOptions } from "../../../src/server/settings/sandbox-options.ts";
import { type Partner, createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import {
  accessibilityViolations,
  misplacedControls,
  overflowOf,
  RULES_OF_LOOKS,
  testBrowser,
} from "../browser.ts";
import { formatAddress, parseAddress } from "../../../src/pages/dashboard/page/address.js";
import { makeOrder, orderBody } from "../../simulator/platform/orders/asking.ts";
import { join } from "node:path";
import { mkdtempSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";

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
    await page.locator(`.page[data-place=${JSON.stringify(formatAddress(parseAddress(place)))}]`).waitFor();
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
  await page.locator("#list .entry").click();
  const plan = page.getByRole("link", { name: "Plan the next outcome" });
  expect(await plan.getAttribute("href")).toContain("plan=subscription.authorization");
  await page.locator("#detail summary", { hasText: "With details" }).click();
  await page.locator("#detail summary", { hasText: "accept with" }).click();
  await page.getByLabel("payer › name").fill("Paula Pagadora");
  await page.getByLabel("payer › document › type").selectOption("CPF");
  await page.getByLabel("payer › document › number").fill("52998224725");
  await page.getByRole("button", { name: "accept with these" }).click();
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

test("an assumption shows what recorded traffic says about it, and the page has the summary", async () => {
  const verdicts = [
    ["http.statuses", "confirmed"],
    ["payout.ted-delay", "contradicted"],
  ].map(([id, verdict]) => ({ id, verdict }));
  const calibrationReport = join(mkdtempSync(join(tmpdir(), "sandbank-")), "calibration.json");
  writeFileSync(calibrationReport, JSON.stringify({ assumptions: verdicts }));
  await using dashboard = await openPage({ sandbox: { calibrationReport } });
  const { page, visit, errors } = dashboard;
  await visit("#/assumptions");
  await page.getByText(/^Of \d+ settable assumptions 1 are confirmed, 1 contradicted, /).waitFor();
  const row = (id: string) => page.locator("summary", { hasText: id }).first().innerText();
  expect(await row("http.statuses")).toContain("confirmed by traffic");
  expect(await row("payout.ted-delay")).toContain("contradicted by traffic");
  expect(await row("webhook.timeout")).toContain("never seen in traffic");
  await visit("#/assumptions?kind=contradicted");
  expect(await page.locator("details.row").count()).toBe(1);
  expect(errors).toEqual([]);
});

test("a refused act shows the reason and keeps the typed input", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  const { id } = await createSubscription(partner);
  await visit(`#/subscriptions/${String(id)}`);
  await page.locator("#detail summary", { hasText: "With details" }).click();
  await page.locator("#detail summary", { hasText: "accept with" }).click();
  await page.getByLabel("payer › name").fill("Nobody");
  await page.getByRole("button", { name: "accept with these" }).click();
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
  // A busy machine may show only some of the seconds.
  await page.locator("#bar .time", { hasText: /21:0\d:(?!00)/ }).waitFor();
  expect(errors).toEqual([]);
});

test("the keyboard searches, walks the list and resends a delivery", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  const id = await acceptedSubscription(partner);
  await visit("#/deliveries");
  await page.locator("#list .entry").waitFor();
  await page.keyboard.press("j");
  await page.locator("#detail h2", { hasText: "SUBSCRIPTION.ACCEPTED" }).waitFor();
  await page.keyboard.press("r");
  await page.locator(".dot", { hasText: "2" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("nothing like it");
  await page.getByText("Nothing matches the filters.").waitFor();
  expect(page.url()).toContain("q=nothing+like+it");
  await page.getByLabel("Search deliveries").fill(id);
  await page.locator("#list .entry").waitFor();
  expect(errors).toEqual([]);
});

test("the focus goes to the heading of an opened entry, and back to its row", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  for (const externalId of ["first", "second", "third"]) await createSubscription(partner, { externalId });
  await visit("#/subscriptions");
  const focused = (selector: string, text: string) =>
    page.locator(`${selector}:focus`, { hasText: text }).waitFor();
  await page.locator("#list [data-row]", { hasText: "third" }).focus();
  await page.keyboard.press("Enter");
  await focused("#detail h2", "third");
  await page.keyboard.press("j");
  await focused("#detail h2", "second");
  await page.keyboard.press("Escape");
  await focused("#list [data-row]", "second");
  await page.keyboard.press("k");
  await focused("#list [data-row]", "third");
  await page.keyboard.press("Enter");
  await focused("#detail h2", "third");
  await page.getByRole("button", { name: "accept" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#detail .badge", { hasText: "ACCEPTED" }).first().waitFor();
  await focused("#detail h2", "third");
  await page.locator("#list [data-row]", { hasText: "second" }).focus();
  await page.keyboard.press("k");
  await focused("#list [data-row]", "third");
  expect(errors).toEqual([]);
});

test("an act on the overview leaves the focus on the page, also if its answer is slow", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await createSubscription(partner, { externalId: "gym-1" });
  await visit("");
  await page.getByRole("button", { name: "accept gym-1" }).focus();
  // A load that began before the act shows the state of before.
  const held = Promise.withResolvers<void>();
  await page.route("**/sandbox/scenarios", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press("Enter");
  await page.locator(".notice", { hasText: "subscription.accept" }).waitFor();
  held.resolve();
  await page.getByText("Nothing is open.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("list");
});

test("a screen reader finds deliveries, payouts and the ledger as tables with named columns", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await partner.sandbox.call("createPayout", {
    externalId: "payout-1",
    accountId: partner.sandbox.company("acme").account,
    paymentMethod: "PIX",
    paymentData: { pixKey: "ok@pix.example" },
    amount: { currency: "BRL", value: "10.00" },
    description: "A payout",
  });
  await partner.advance("PT1M");
  const tableOf = async (place: string, name: string): Promise<string[][]> => {
    await visit(place);
    const table = page.locator("#list").getByRole("table", { name });
    await table.waitFor();
    const first = table.getByRole("row").nth(1).getByRole("cell");
    return [await table.getByRole("columnheader").allInnerTexts(), await first.allInnerTexts()];
  };
  const [columns, cells] = await tableOf("#/deliveries", "Deliveries");
  expect(columns).toEqual(["event", "status", "object, last answer", "next attempt", "created"]);
  expect(cells?.slice(0, 2)).toEqual(["ORDER-PAYOUT.PAID", "delivered"]);
  const payouts = await tableOf("#/payouts", "Payouts");
  expect(payouts[0]?.slice(0, 2)).toEqual(["payout", "status"]);
  expect(payouts[1]?.slice(0, 2)).toEqual(["payout-1", "PAID"]);
  expect(payouts[1]?.[2]).toContain("ok@pix.example");
  expect(payouts[1]?.[4]).toBe("20 Nov 09:00:00");
  expect(await tableOf("#/ledger", "Balances")).toEqual([["account", "balance"], expect.any(Array)]);
  const [heads, movement] = await tableOf("#/ledger", "Entries");
  expect(heads).toEqual(["time", "what", "object", "accounts and amounts"]);
  expect(movement?.[1]).toBe("payout payout-1 paid");
  const small = await page.evaluate<string[]>(
    `[...document.querySelectorAll("#list :is(a, button)")].filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.innerText)`,
  );
  expect(small).toEqual([]);
});

test("a selected entry gives its page a title, and on a phone its one heading of the first level", async () => {
  await using dashboard = await openPage({ viewport: { width: 390, height: 844 } });
  const { partner, page, visit } = dashboard;
  const { id } = await createSubscription(partner, { externalId: "gym-1" });
  await visit(`#/subscriptions/${String(id)}`);
  expect(await page.getByRole("main").getByRole("heading", { level: 1 }).allInnerTexts()).toEqual(["gym-1"]);
  expect(await page.title()).toBe("gym-1 · Subscriptions · sandbank");
  // A later load of the same entry keeps its title.
  await partner.act("subscription.accept", { id });
  await page.locator("#detail .badge", { hasText: "ACCEPTED" }).first().waitFor();
  expect(await page.title()).toBe("gym-1 · Subscriptions · sandbank");
  await visit("#/recording");
  expect(await page.title()).toBe("Recording · sandbank");
  await visit("#/scenarios");
  expect(await page.title()).toBe("Scenarios · sandbank");
});

test("a slow view says that it loads", async () => {
  await using dashboard = await openPage();
  const { page, visit } = dashboard;
  await visit("");
  const held = Promise.withResolvers<void>();
  await page.route("**/sandbox/faults", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("link", { name: "Faults" }).click();
  await page.locator(".progress", { hasText: "Loading" }).waitFor();
  held.resolve();
  await page.getByText("No fault is armed.").waitFor();
  expect(await page.locator(".progress").isVisible()).toBe(false);
});

test("the attempts of a delivery are named by their results", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  partner.receiver.script([{ status: 500 }]);
  await acceptedSubscription(partner);
  const [delivery] = await partner.sandbox.deliveries();
  await visit(`#/deliveries/${String(delivery?.["id"])}`);
  const names = await page.locator("button.dot").evaluateAll((dots) => dots.map((dot) => dot.ariaLabel));
  expect(names[0]).toMatch(/^Attempt 1, \w+: 500, failed, at 09:00:0\d$/);
});

test("a click while the sandbox still works on the first one repeats nothing", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await visit("");
  const held = Promise.withResolvers<void>();
  await page.route("**/sandbox/clock/advance", async (route) => {
    await held.promise;
    await route.continue();
  });
  const before = Date.parse(String((await partner.ask("GET", "/sandbox/clock")).body["now"]));
  await page.getByRole("button", { name: "+1 h" }).click();
  await page.locator(".page[aria-busy=true] .progress", { hasText: "Working" }).waitFor();
  await page.getByRole("button", { name: "+1 h" }).click();
  held.resolve();
  await page.locator("#bar .time", { hasText: "10:00:00" }).waitFor();
  const after = Date.parse(String((await partner.ask("GET", "/sandbox/clock")).body["now"]));
  expect(after - before).toBe(3_600_000);
});

test("a world that does not exist, or ends, shows nothing of another world", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await createSubscription(partner, { externalId: "of-the-default-world" });
  await visit("");
  const base = page.url().replace(/#.*/, "");
  const isEnded = async (title: string): Promise<void> => {
    await page.locator("[data-ended] h1", { hasText: title }).waitFor();
    await page.locator("main").getByRole("link", { name: "default" }).waitFor();
    expect(await page.locator("body").innerText()).not.toContain("of-the-default-world");
    expect(await page.getByRole("button", { name: "Reset" }).count()).toBe(0);
  };
  await page.goto(`${base}?world=gone#/subscriptions`);
  await isEnded("The world gone has ended");
  await page.goto(`${base}?world=token#/subscriptions`);
  await isEnded("No world has the token of this tab");
  const { body } = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  await page.goto(`${base}?world=${String(body["id"])}#/subscriptions`);
  await page.getByText("No subscriptions yet").waitFor();
  await partner.ask("DELETE", `/sandbox/worlds/${String(body["id"])}`);
  await isEnded(`The world ${String(body["id"])} has ended`);
  await page.locator("main").getByRole("link", { name: "default" }).click();
  await page.locator("#list .entry", { hasText: "of-the-default-world" }).waitFor();
  await visit("");
});

test("a list searches all entries of the world, and pages back to the first one", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  for (const index of Array(230).keys()) await createSubscription(partner, { externalId: `sub-${index}` });
  await visit("#/subscriptions");
  await page.getByText("Showing the newest 200 of 230.").waitFor();
  await page.getByRole("link", { name: "Older" }).click();
  await page.locator("#list .entry", { hasText: "sub-29" }).waitFor();
  expect(await page.locator("#list .entry").count()).toBe(30);
  await page.getByLabel("Search subscriptions").fill("sub-3");
  await page.getByText("Found 11 of 230.").waitFor();
  await visit("#/requests");
  await page.getByText("Showing the newest 200 of 230.").waitFor();
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
  await page.locator("#list .entry").nth(1).waitFor();
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
  await page.locator("#list .entry").waitFor();
  await page.locator("#bar").getByRole("button", { name: "Reset" }).click();
  expect(await page.locator("#list .entry").count()).toBe(1);
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
  // A page keeps its init script, so it has options of its own.
  const ofItsOwn = { viewport: { width: 1200, height: 800 } };
  await using dashboard = await openPage({ sandbox: { adminToken: "open-sesame" }, ...ofItsOwn });
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
  await page.locator("#list .entry").waitFor();
  const body = { id: await firstSubscription(partner) };
  const headers = { "x-admin-token": "open-sesame" };
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { body, headers });
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
  await page.locator("#list .entry").first().click();
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
  const tryIt = page.getByRole("link", { name: "Try createSubscription with curl" });
  expect(await tryIt.getAttribute("href")).toBe("/docs?world=w1#createSubscription");
  expect(await textOf(page, "#bar .time")).toBe("08:00:00");
  expect(page.url()).toContain("?world=w1");
  expect(errors).toEqual([]);
});

test("the overview leads somebody who has just started from the first call to a webhook", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  await visit("");
  const step = page.locator(".first-steps [aria-current]");
  expect(await step.innerText()).toBe("Call the platform API");
  expect(await textOf(page, ".first-steps pre")).toContain("authorization: Bearer acme-token");
  await partner.ask("GET", "/order/v1/banking/accounts");
  await step.getByText("Create a subscription").waitFor();
  // The command of the page is what a terminal would send.
  const [, body = ""] = /-d '(.*)'$/s.exec(await textOf(page, ".first-steps pre")) ?? [];
  const made = await partner.ask("POST", "/order/v1/banking/subscriptions", { body });
  expect(made.status).toBe(201);
  await step.getByText("Act as the payer").waitFor();
  await page.locator(".first-steps").getByRole("button", { name: "accept" }).click();
  await step.getByText("Charge, and move the clock").waitFor();
  expect(await textOf(page, ".first-steps pre")).toContain(
    `/subscriptions/${String(made.body["id"])}/payments`,
  );
  await page.getByRole("region", { name: "Last webhooks" }).getByText("SUBSCRIPTION.ACCEPTED").waitFor();
  expect(errors).toEqual([]);
});

test("the overview shows what is open, due and failed, and acts on it by one click", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  partner.receiver.script([{ status: 500 }]);
  const order = await makeOrder(partner, orderBody("DEPOSIT", { externalId: "shop-7" }));
  await partner.ask("GET", "/order/v1/banking/accounts/none/balance");
  await visit("");
  const card = (name: string) => page.getByRole("region", { name, exact: true });
  await card("Due next").getByText("order.expire").waitFor();
  await card("Failed lately").getByText("GET /order/v1/banking/accounts/none/balance").waitFor();
  await card("Last requests").getByText("createTransparentOrder").waitFor();
  await card("Open").getByRole("button", { name: "pay shop-7" }).click();
  await card("Open").getByText("Nothing is open.").waitFor();
  const paid = await partner.ask("GET", `/sandbox/resources/orders/${String(order["id"])}`);
  expect(paid.body["status"]).toBe("PAID");
  await card("Failed lately").getByText("ORDER-PAYIN.PAID").waitFor();
  await card("Due next")
    .getByRole("button", { name: /^advance to it: webhook.retry/ })
    .click();
  await page.locator("#bar .time", { hasText: "09:01:00" }).waitFor();
  expect(await card("Scenarios").getByRole("button").count()).toBe(6);
  await card("Scenarios").getByRole("button", { name: "Run A payer accepts" }).click();
  await card("Scenarios").locator(".badge", { hasText: "passed" }).waitFor();
  expect(errors).toEqual([]);
});

test("a failure that a fault injected is listed as such, and is no failure of the endpoint", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  await partner.sandbox.fault({ on: "webhook", effect: "drop", times: 1 });
  await acceptedSubscription(partner);
  await visit("");
  await page.getByRole("region", { name: "Last webhooks" }).locator(".injected").first().waitFor();
  await page
    .getByRole("region", { name: "Failed lately" })
    .getByText("SUBSCRIPTION.ACCEPTED")
    .first()
    .waitFor();
  await visit("#/deliveries");
  await page.locator("#list .entry").waitFor();
  expect(await page.locator("#list summary", { hasText: "failing now" }).count()).toBe(0);
});

test("a request is shown with its answer, and can be repeated in a terminal", async () => {
  await using dashboard = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
  const { partner, page, visit, errors } = dashboard;
  await visit("#/requests");
  await page.getByText("No request yet.").waitFor();
  await partner.ask("POST", "/order/v1/banking/order-payouts", {
    key: "it's mine",
    body: { externalId: "p" },
  });
  await page.locator("#list .entry", { hasText: "createPayout" }).click();
  await page.locator("#detail pre", { hasText: "INVALID_REQUEST" }).waitFor();
  await page.locator("#detail").getByRole("button", { name: "curl" }).click();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(copied).toContain(String.raw`-H 'idempotency-key: it'\''s mine'`);
  expect(copied).toContain("Bearer acme-token");
  await page.getByLabel("any status").selectOption("2xx");
  await page.getByText("Nothing matches the filters.").waitFor();
  expect(errors).toEqual([]);
});

test("what the page shows is reached with the keyboard alone", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  await createSubscription(partner, { externalId: "gym-1" });
  await visit("");
  await page.getByRole("button", { name: "accept gym-1" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Nothing is open.").waitFor();
  await page.getByRole("link", { name: "Requests" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("j");
  await page.locator("#detail h2", { hasText: "POST /order/v1/banking/subscriptions" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#detail").waitFor({ state: "hidden" });
  await page.getByRole("link", { name: "Ledger" }).focus();
  await page.keyboard.press("?");
  await expect.poll(() => focused(page)).toBe("Close");
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("Ledger");
  expect(errors).toEqual([]);
});

test("the keyboard is never lost: it skips the menu, and follows what opens, closes and is removed", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit, errors } = dashboard;
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate" });
  await partner.ask("GET", "/order/v1/banking/accounts");
  await visit("#/faults");
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("list");
  await page.getByRole("button", { name: "Remove f1" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("No fault is armed.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("list");
  await page.setViewportSize({ width: 390, height: 844 });
  await visit("#/requests");
  await page.locator("#list [data-row]").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toContain("GET /order/v1/bank");
  await page.getByRole("link", { name: "← Requests" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toContain("GET /order/v1/banking/accounts");
  await page.locator(".menu").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Ledger" }).focus();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Ledger" }).waitFor({ state: "hidden" });
  expect(await focused(page)).toBe("☰ Requests");
  expect(errors).toEqual([]);
});

/** The text of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.innerText.trim()");
}

test("a number is never cut off, however narrow the page", async () => {
  await using dashboard = await openPage({ viewport: { width: 390, height: 844 } });
  const { partner, page, visit } = dashboard;
  await acceptedSubscription(partner);
  await visit("#/ledger");
  await page.locator("#list td.number").first().waitFor();
  await page.getByRole("button", { name: "☰ Ledger" }).click();
  const cut = await page.evaluate(
    `[...document.querySelectorAll(".number, .count")]
      .filter((number) => number.scrollWidth > number.clientWidth + 1 || number.getBoundingClientRect().right > innerWidth)
      .map((number) => number.textContent)`,
  );
  expect(cut).toEqual([]);
  await page.getByRole("link", { name: "Accounts 28" }).click();
  await page.locator("#list h1", { hasText: "Accounts" }).waitFor();
});

/** Every view of the dashboard, and an entry of each kind that has a page of its own. */
const VIEWS = {
  "of the platform": ["overview", "requests", "subscriptions", "scheduled-payments", "claims", "ledger"],
  "of webhooks": ["deliveries", "timeline", "inbox", "faults", "plans"],
  "of the sandbox": ["scenarios", "recording", "coverage", "assumptions", "world"],
  "of one entry": [
    "subscriptions/:id",
    "deliveries/:id",
    "requests/:id",
    "scenarios/subscriptions%2Faccepted",
  ],
} as const;

/** Makes entries for the views, and returns the places of the views of one entry. */
async function fillViews(partner: Partner): Promise<Readonly<Record<string, string>>> {
  partner.receiver.script([{ status: 500 }]);
  const id = await acceptedSubscription(partner);
  await createSubscription(partner, { externalId: "gym-2" });
  await partner.ask("GET", "/order/v1/banking/accounts/none/balance");
  await partner.sandbox.plan({ plan: "order.payment", outcomes: ["PAID", "DECLINED"] });
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate", times: 1 });
  await partner.advance("PT1M");
  const [delivery] = await partner.sandbox.deliveries();
  const { body } = await partner.ask("GET", "/sandbox/requests");
  const [request] = body["data"] as { id: string }[];
  return {
    "subscriptions/:id": `subscriptions/${id}`,
    "deliveries/:id": `deliveries/${String(delivery?.["id"])}`,
    "requests/:id": `requests/${request?.id}`,
  };
}

test.for(Object.entries(VIEWS))(
  "each view %s fits, wide and narrow, and breaks no rule of WCAG 2.2 AA, light and dark",
  async ([, views]) => {
    await using dashboard = await openPage();
    const { partner, page, visit, errors } = dashboard;
    const places = await fillViews(partner);
    // No colour depends on the width.
    const looks = [
      { width: 1440, colorScheme: "light" },
      { width: 390, colorScheme: "dark", rules: RULES_OF_LOOKS },
    ] as const;
    const found: Record<string, unknown> = {};
    for (const view of views) {
      await visit(`#/${places[view] ?? view}`);
      for (const { width, colorScheme, ...only } of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const violations: unknown[] = await accessibilityViolations(page, only);
        const overflow = await overflowOf(page);
        const inHeadings = await page.locator(":is(h1, h2, h3, h4) button").allInnerTexts();
        if (inHeadings.length > 0) violations.push(`buttons in headings: ${inHeadings.join(", ")}`);
        if (overflow !== 0) violations.push(`wider than the window by ${String(overflow)} pixels`);
        if (violations.length > 0) found[`${view} ${width} ${colorScheme}`] = violations;
      }
    }
    expect(found).toEqual({});
    expect(errors).toEqual([]);
  },
);

/** The widths of a phone in two sizes, a tablet, a small and a usual screen. */
const WIDTHS = [320, 390, 768, 1024, 1440];

test("no control is cut, covered or outside the window, with long names and amounts", async () => {
  await using dashboard = await openPage();
  const { partner, page, visit } = dashboard;
  const fixedAmount = { currency: "BRL", value: "9999999.99" };
  const externalId = "order-7f3c2a9d8b1e4f6aa0c1d2e3f4a5b6c7";
  const { id } = await createSubscription(partner, { externalId, fixedAmount });
  await makeOrder(partner, orderBody("DEPOSIT", { externalId: `${externalId}-2` }));
  await partner.ask("POST", "/sandbox/worlds", {
    body: { name: "a world with a very long name of the checkout team" },
  });
  const found: Record<string, string[]> = {};
  for (const place of [
    "overview",
    "subscriptions",
    `subscriptions/${String(id)}`,
    "requests",
    "world",
    "faults",
  ]) {
    await visit(`#/${place}`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const misplaced = await misplacedControls(page);
      if (misplaced.length > 0) found[`${place} ${width}`] = misplaced;
    }
  }
  expect(found).toEqual({});
});
