import type { BrowserContextOptions } from "playwright-core";
import { BRAZIL, card, CARDS, makeOrder, MEXICO, orderBody } from "../../simulator/platform/orders/asking.ts";
import { accessibilityViolations, overflowOf, testBrowser } from "../../pages/browser.ts";
import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";

const openBrowserPage = testBrowser();

/** A sandbox with a port, and a browser whose person speaks Portuguese unless told otherwise. */
async function openPayer(options: BrowserContextOptions = {}) {
  const partner = await openPartner();
  const { url } = await partner.sandbox.listen();
  const { page, errors, ...browser } = await openBrowserPage({ locale: "pt-BR", ...options });
  const payerPage = async (collection: string, id: unknown): Promise<string> => {
    const { headers } = await partner.ask("GET", `/sandbox/resources/${collection}/${String(id)}`);
    const [, address = ""] = /^<([^>]+)>; rel="payer-page"$/.exec(headers.get("link") ?? "") ?? [];
    return url + new URL(address).pathname;
  };
  const close = async (): Promise<void> => {
    await browser[Symbol.asyncDispose]();
    await partner[Symbol.asyncDispose]();
  };
  return { partner, page, errors, payerPage, [Symbol.asyncDispose]: close };
}

test("a payer sees the terms in Portuguese, corrects the maximum and authorizes", async () => {
  await using payer = await openPayer();
  const { partner, page, errors, payerPage } = payer;
  const maxAmountFloor = { currency: "BRL", value: "50.00" };
  const { id } = await createSubscription(partner, { maxAmountFloor });
  await page.goto(await payerPage("subscriptions", id));
  expect(await page.locator("html").getAttribute("lang")).toBe("pt-BR");
  await page.getByText("Valor variável por mês").waitFor();
  await page.getByText("529.982.247-25").waitFor();
  await page.getByText("20 de novembro de 2026").waitFor();
  const maximum = page.getByLabel("Valor máximo por cobrança (opcional)");
  await maximum.fill("20,00");
  await page.getByRole("button", { name: "Autorizar" }).click();
  await page.getByRole("alert").getByText("Escreva um valor de pelo menos R$ 50,00.").waitFor();
  await maximum.fill("1.150,00");
  await page.getByRole("button", { name: "Autorizar" }).click();
  await page.getByRole("heading", { name: "Autorizada" }).waitFor();
  await page.getByText("R$ 1.150,00").waitFor();
  const { body } = await partner.ask("GET", `/sandbox/resources/subscriptions/${String(id)}`);
  expect(body).toMatchObject({ status: "ACCEPTED" });
  // The browser reports the answer 409 of the first attempt, and nothing else.
  expect(errors).toEqual([expect.stringContaining("409")]);
});

test("a maximum that is no amount is refused in the words of the page", async () => {
  await using payer = await openPayer();
  const { partner, page, payerPage } = payer;
  const { id } = await createSubscription(partner, {});
  await page.goto(await payerPage("subscriptions", id));
  await page.getByLabel("Valor máximo por cobrança (opcional)").fill("muito");
  await page.getByRole("button", { name: "Autorizar" }).click();
  expect(await page.getByRole("alert").innerText()).toContain("Escreva um valor");
});

test("at 200 % zoom the button to authorize is at most half a window below the first one", async () => {
  await using payer = await openPayer({ viewport: { width: 640, height: 400 } });
  const { partner, page, payerPage } = payer;
  for (const terms of [{}, { fixedAmount: { currency: "BRL", value: "150.00" } }]) {
    const { id } = await createSubscription(partner, { externalId: JSON.stringify(terms), ...terms });
    await page.goto(await payerPage("subscriptions", id));
    const box = await page.getByRole("button", { name: "Autorizar" }).boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(600);
  }
});

test("a payer who uses the keyboard alone authorizes and cancels again", async () => {
  await using payer = await openPayer({ locale: "en-US" });
  const { partner, page, errors, payerPage } = payer;
  const { id } = await createSubscription(partner, { fixedAmount: { currency: "BRL", value: "150.00" } });
  await page.goto(await payerPage("subscriptions", id));
  await page.getByText("R$150.00 each month").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Authorized" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("The cancellation was requested.").waitFor();
  await partner.advance("PT5S");
  await page.reload();
  await page.getByText("This authorization is over.").waitFor();
  expect(errors).toEqual([]);
});

test("a payer changes the language of the page and refuses in it", async () => {
  await using payer = await openPayer();
  const { partner, page, errors, payerPage } = payer;
  const { id } = await createSubscription(partner);
  await page.goto(await payerPage("subscriptions", id));
  await page.getByRole("link", { name: "English" }).click();
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByRole("heading", { name: "Refused" }).waitFor();
  await page.getByRole("link", { name: "Português" }).click();
  await page.getByText("Você recusou esta autorização.").waitFor();
  expect(errors).toEqual([]);
});

const challenged = orderBody("CREDIT_CARD", {}, { paymentDetails: { card: card(CARDS.challenged) } });

// No colour depends on the width.
for (const [width, colorScheme] of [
  [1440, "light"],
  [390, "dark"],
] as const) {
  test(`every payer page breaks no rule of WCAG 2.2 AA, ${width} pixels wide, ${colorScheme}`, async () => {
    await using payer = await openPayer({ viewport: { width, height: 900 }, colorScheme });
    const { partner, page, payerPage } = payer;
    const initialCharge = { amount: { currency: "BRL", value: "150.00" } };
    const subscription = await createSubscription(partner, {
      type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
      initialCharge,
    });
    const refused = await createSubscription(partner, { externalId: "refused" });
    await partner.act("subscription.reject", { id: refused["id"] });
    const addresses = [
      await payerPage("subscriptions", subscription["id"]),
      await payerPage("subscriptions", refused["id"]),
    ];
    for (const method of [...BRAZIL, ...MEXICO]) {
      const body = method === "CREDIT_CARD" ? challenged : orderBody(method);
      const { id } = await makeOrder(partner, body);
      const address = await payerPage("orders", id);
      addresses.push(address);
      if (method === "CREDIT_CARD") addresses.push(`${address}/3ds`);
      if (method === "EXCHANGE_PAY") addresses.push(`${address}/app`);
      if (method === "DEPOSIT") addresses.push(address.replace(String(id), "nobody"));
    }
    const found: Record<string, unknown> = {};
    for (const address of addresses) {
      await page.goto(address);
      const violations = await accessibilityViolations(page);
      if (violations.length > 0) found[address] = violations;
      expect(await overflowOf(page)).toBe(0);
    }
    expect(found).toEqual({});
  });
}
