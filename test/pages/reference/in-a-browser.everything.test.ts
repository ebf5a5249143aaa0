import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPartner } from "../../partner.ts";
import { accessibilityViolations, overflowOf, RULES_OF_LOOKS, testBrowser } from "../browser.ts";

const openBrowserPage = testBrowser();

const WIDE = { width: 1440, height: 900 };

/** The reference of a sandbox, with the errors that the browser reported. */
async function openReference({ place = "", ...browser }: ReferenceOptions = {}) {
  const partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const opened = await openBrowserPage({
    viewport: WIDE,
    permissions: ["clipboard-read", "clipboard-write"],
    ...browser,
  });
  const { page, errors } = opened;
  await page.goto(`${url}/docs${place}`);
  await page.locator("#search").waitFor();
  const close = async (): Promise<void> => {
    await opened[Symbol.asyncDispose]();
    await partner[Symbol.asyncDispose]();
  };
  return { partner, url, page, errors, [Symbol.asyncDispose]: close };
}

interface ReferenceOptions extends BrowserContextOptions {
  readonly place?: string;
}

/** The page of a wide window. Its tests share it, because its thousands of elements take seconds to load. */
let wide: Awaited<ReturnType<typeof openReference>>;
beforeAll(async () => {
  wide = await openReference();
});
afterAll(() => wide[Symbol.asyncDispose]());

/** Shows the wide page as it was opened, at a place. */
async function showReference(place: string) {
  const { page, url } = wide;
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: null });
  await page.locator("#search").press("Escape");
  await page.goto(`${url}/docs#${place}`);
  return wide;
}

test("the search shows what matches with its fields, and Enter opens it", async () => {
  const { page, errors } = await showReference("start");
  await page.keyboard.press("/");
  await page.keyboard.type("duedate amount");
  const shown = page.locator("#contents > ul > li:visible > a");
  await page.locator("#contents li[hidden]").first().waitFor({ state: "attached" });
  const left = await shown.allInnerTexts();
  expect(left.join()).toContain("Create a charge of a subscription");
  expect(left.join()).not.toContain("Claim a PIX key");
  await page.locator("#search").fill("originalScheduled");
  await page.locator("#contents .hits a").first().waitFor();
  await page.locator("#search").press("Enter");
  await page.waitForURL(/#.*originalScheduledPaymentId$/);
  await page.locator("#search").fill("dueDate");
  await page.locator("#contents .hits a").first().waitFor();
  await page.locator("#search").press("Enter");
  await page.waitForURL(/#createScheduledPayment\.request\.dueDate$/);
  await page.locator("#search").press("Escape");
  expect(await page.locator("#contents li[hidden]").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("the search finds the fields of event bodies, once for all events of a shape", async () => {
  const { page, errors } = await showReference("start");
  await page.locator("#search").fill("settlementErrorRetryAttempt");
  const hits = page.locator("#contents .hits a", { hasText: /^data\.settlementErrorRetryAttempt$/ });
  await hits.first().waitFor();
  const found = await Promise.all((await hits.all()).map((link) => link.getAttribute("href")));
  expect(found).toEqual([...new Set(found)]);
  expect(await page.locator("#contents a.event:visible").allInnerTexts()).toContain(
    "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED",
  );
  await hits.first().click();
  await page.waitForURL(/#ScheduledPaymentEvent\.data\.settlementErrorRetryAttempt$/);
  expect(errors).toEqual([]);
});

test("the page says that nothing was found", async () => {
  const { page } = await showReference("start");
  await page.locator("#search").fill("zebra crossing");
  const status = page.locator("#contents").getByRole("status");
  await status.getByText("Nothing found for “zebra crossing”.").waitFor();
  expect(await page.locator("#contents a:visible").count()).toBe(0);
  await page.locator("#search").press("Escape");
  expect(await status.innerText()).toBe("");
});

test("on a narrow page the contents close when a field is chosen", async () => {
  await using reference = await openReference({
    viewport: { width: 400, height: 900 },
    place: "#refundOrder",
  });
  const { page } = reference;
  await page.locator("#search").fill("pixKey");
  await page.locator("#contents .hits a", { hasText: "paymentData.pixKey" }).click();
  await page.waitForURL(/#createPayout\.request\.paymentData\.pixKey$/);
  expect(await page.locator("#search").inputValue()).toBe("");
  const field = page.locator('[id="createPayout.request.paymentData.pixKey"] > .line');
  await field.click({ trial: true });
});

test("a command is copied completely and unchanged", async () => {
  const { page, url, errors } = await showReference("createPayout");
  await page.locator("#createPayout figure.command button").first().click();
  await page.locator("#createPayout button", { hasText: "copied" }).waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  expect(copied).toContain(
    `curl --request POST \\\n  --url ${url}/order/v1/banking/order-payouts \\\n  --header 'authorization`,
  );
  expect(errors).toEqual([]);
});

test("samples are shown in the language that is chosen", async () => {
  const { page, url, errors } = await showReference("createPayout");
  await page.locator("#language").selectOption("Python");
  const sample = page.locator("#createPayout figure.command code").first();
  await sample.filter({ hasText: "import requests" }).waitFor();
  expect(await sample.textContent()).toContain(`url = "${url}/order/v1/banking/order-payouts"`);
  await page.locator("#language").selectOption("curl");
  await sample.filter({ hasText: "curl --request POST" }).waitFor();
  expect(errors).toEqual([]);
});

test("the contents show where the reader is", async () => {
  const { page } = await showReference("refundOrder");
  await page.locator('#contents a[aria-current][href="#refundOrder"]').waitFor();
  await page.goto(`${page.url().split("#")[0]}#createPayout`);
  await page.locator('#contents a[aria-current][href="#createPayout"]').waitFor();
  expect(await page.locator("#contents a[aria-current]").count()).toBe(1);
});

test("the contents mark the section in view while the reader scrolls, from the first to the last", async () => {
  const { page } = await showReference("start");
  const marked = () => page.locator("#contents a[aria-current]").getAttribute("href");
  const scrollTo = async (id: string): Promise<void> => {
    await page.evaluate(
      `document.getElementById(${JSON.stringify(id)}).scrollIntoView({ behavior: "instant" })`,
    );
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  };
  for (const id of ["tokens", "createPayout", "listAccounts", "signature", "assumptions"]) {
    await scrollTo(id);
    expect(await marked()).toBe(`#${id}`);
  }
  // The fields of an event's body belong to the event, also far below its name.
  await scrollTo("ScheduledPaymentEvent.data.settlementErrorRetryAttempt");
  expect(await marked()).toMatch(/^#event\.SUBSCRIPTION\.SCHEDULED_PAYMENT/);
  await page.keyboard.press("Home");
  await page
    .locator('#contents a[aria-current][href="#guide"], #contents a[aria-current][href="#start"]')
    .waitFor();
});

test("the reference breaks no rule of WCAG 2.2 AA, wide and narrow, light and dark", async () => {
  const { page } = await showReference("start");
  expect(await accessibilityViolations(page, { except: RULES_OF_LOOKS })).toEqual([]);
  await page.locator("#search").fill("amount");
  // One section of each kind: the others have the same elements in the same colours.
  const kinds = [
    ..."#bar #contents #guide #createPayout #delivery #ScheduledPaymentEvent".split(" "),
    ..."#assumptions>h2 #assumptions>p #assumptions>dl>:nth-child(-n+20)".split(" "),
  ];
  // No colour depends on the width, and no size on the colours.
  for (const [width, colorScheme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect(await overflowOf(page)).toBe(0);
    expect(await accessibilityViolations(page, { rules: RULES_OF_LOOKS, within: kinds })).toEqual([]);
  }
}, 120_000);

test("a phone opens the contents by a button, and a chosen link closes them", async () => {
  await using reference = await openReference({ viewport: { width: 390, height: 800 } });
  const { page } = reference;
  expect(await overflowOf(page)).toBe(0);
  const link = page.locator('#contents a[href="#createPayout"]');
  await page.getByRole("button", { name: "Contents" }).click();
  await link.click();
  await link.waitFor({ state: "hidden" });
  expect(page.url()).toContain("#createPayout");
});

test("the page fits windows of every width, and an anchor opens at its section", async () => {
  const { page, url, errors } = await showReference("start");
  for (const width of [1440, 1000, 400]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${url}/docs#start`);
    await page.goto(`${url}/docs#createTransparentOrder`);
    const link = page.locator('#contents a[aria-current][href="#createTransparentOrder"]');
    await link.waitFor({ state: "attached" });
    // A phone shows the contents on demand.
    expect(await link.isVisible()).toBe(width > 760);
    expect(await overflowOf(page)).toBe(0);
    const box = await page.locator("#createTransparentOrder h3").boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(450);
  }
  expect(errors).toEqual([]);
});
