import { expect, test } from "vitest";
import { accessibilityViolations, misplacedControls, testBrowser } from "../browser.ts";
import { createSubscription, openPartner } from "../../partner.ts";
import { makeOrder, orderBody } from "../../simulator/platform/orders/asking.ts";

const openBrowserPage = testBrowser();

const fixedAmount = { currency: "BRL", value: "9999999.99" };

test("each payer page can be read and answered on a phone and on a screen, in each language", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  await using opened = await openBrowserPage();
  const { page, errors } = opened;
  const fixed = await createSubscription(partner, { externalId: "fixed", fixedAmount });
  const variable = await createSubscription(partner, { externalId: "variable" });
  const paths = [fixed, variable].map(({ id }) => `/pay/subscriptions/${String(id)}`);
  for (const [method, value] of [
    ["PIX", "150.00"],
    ["DEPOSIT", "9999999.99"],
  ] as const) {
    const { id } = await makeOrder(
      partner,
      orderBody(method, { externalId: method, amount: { currency: "BRL", value } }),
    );
    paths.push(`/pay/default/${String(id)}`);
  }
  const found: Record<string, string[]> = {};
  for (const path of paths)
    for (const lang of ["en", "pt", "es"])
      for (const width of [320, 360, 768, 1440]) {
        await page.setViewportSize({ width, height: 700 });
        await page.goto(`${url}${path}?lang=${lang}`);
        const misplaced = await misplacedControls(page);
        if (width === 320) misplaced.push(...(await accessibilityViolations(page)));
        if (misplaced.length > 0) found[`${path} ${lang} ${width}`] = misplaced;
      }
  expect(found).toEqual({});
  expect(errors).toEqual([]);
});

test("nothing covers the terms of an authorization", async () => {
  await using partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  await using opened = await openBrowserPage({ viewport: { width: 720, height: 450 } });
  const { page } = opened;
  const { id } = await createSubscription(partner, { fixedAmount });
  await page.goto(`${url}/pay/subscriptions/${String(id)}?lang=en`);
  const covered = await page.evaluate<string[]>(`[...document.querySelectorAll("dt, dd")].filter((one) => {
    one.scrollIntoView({ block: "center" });
    const { left, top, width, height } = one.getBoundingClientRect();
    return !one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  }).map((one) => one.textContent)`);
  expect(covered).toEqual([]);
});
