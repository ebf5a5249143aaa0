import { openPartner } from "../../partner.ts";
import type { Partner } from "../../partner.ts";
import { BRAZIL, card, CARDS, makeOrder, MEXICO, orderBody, orderNow } from "../../platform/orders/asking.ts";
import { expect, test } from "vitest";

const PAY = "http://localhost/pay/";

/** Every address in an answer, however deep. */
function addressesIn(value: unknown): string[] {
  if (typeof value === "string") return value.startsWith("http://") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(addressesIn) : [];
}

function open(partner: Partner, url: unknown): Promise<Response> {
  return partner.sandbox.fetch(new URL(String(url)).pathname);
}

function post(partner: Partner, url: unknown, form: Record<string, string>, headers = {}): Promise<Response> {
  return partner.sandbox.fetch(new URL(String(url)).pathname, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

const challenged = orderBody("CREDIT_CARD", {}, { paymentDetails: { card: card(CARDS.challenged) } });

for (const method of [...BRAZIL, ...MEXICO]) {
  test(`every page that a ${method} order links to opens, without a script or a foreign source`, async () => {
    await using partner = await openPartner();
    const order = await makeOrder(partner, method === "CREDIT_CARD" ? challenged : orderBody(method));
    for (const address of addressesIn(order)) {
      expect(address.startsWith(`${PAY}default/${order["id"]}`)).toBe(true);
      const page = await open(partner, address);
      expect(page.status).toBe(200);
      expect(page.headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
      if (page.headers.get("content-type") === "image/png") continue;
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const html = await page.text();
      expect(html).not.toMatch(/<script|style="|https?:\/\/(?!www\.w3\.org)/);
      expect(html).toContain("Acme Assinaturas LTDA");
    }
  });
}

test("the image of a PIX QR code is that of the answer", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX"));
  const picture = await open(partner, order["qrcodeImageUrl"]);
  const base64 = Buffer.from(await picture.arrayBuffer()).toString("base64");
  expect(base64).toBe(order["qrcodeImageBase64"]);
});

test("the page of a bank slip shows its barcode and its line", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("BOLETO"));
  const { slip } = (await orderNow(partner, order["id"])) as unknown as { slip: Record<string, string> };
  const html = await (await open(partner, order["checkoutUrl"])).text();
  expect(html).toContain(slip["barcode"]);
  expect(html).toContain(slip["line"]);
  expect(html).toContain("<svg");
});

test("a payer pays on the page and is returned to it", async () => {
  await using partner = await openPartner();
  const returnUrl = "https://shop.example/thanks?order=1&ok=yes";
  const order = await makeOrder(partner, orderBody("DEPOSIT", { returnUrl }));
  const paid = await post(partner, order["checkoutUrl"], { do: "pay" });
  expect(paid.status).toBe(303);
  expect(paid.headers.get("location")).toBe(new URL(order["checkoutUrl"] as string).pathname);
  expect((await orderNow(partner, order["id"]))["status"]).toBe("PAID");
  const html = await (await open(partner, order["checkoutUrl"])).text();
  expect(html).toContain("The payment was received");
  expect(html).toContain('href="https://shop.example/thanks?order=1&amp;ok=yes"');
  expect(html).not.toContain("<form");
});

test("a payer declines on the page, in the app, or fails the challenge there", async () => {
  await using partner = await openPartner();
  const page = await makeOrder(partner, orderBody("CASHSTORE"));
  await post(partner, page["checkoutUrl"], { do: "decline" });
  const app = await makeOrder(partner, orderBody("EXCHANGE_PAY"));
  await post(partner, app["deeplink"], { do: "decline" });
  const carded = await makeOrder(partner, challenged);
  await post(partner, (carded["threeDs"] as { challengeUrl: string }).challengeUrl, { do: "fail-challenge" });
  for (const { id } of [page, app, carded]) expect((await orderNow(partner, id))["status"]).toBe("ERROR");
});

test("a customer passes the challenge, and the issuer answers", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, challenged);
  const { challengeUrl } = order["threeDs"] as { challengeUrl: string };
  expect((await post(partner, challengeUrl, { do: "pass-challenge" })).status).toBe(303);
  expect((await orderNow(partner, order["id"]))["status"]).toBe("PAID");
  expect(await (await open(partner, challengeUrl)).text()).toContain("No challenge is pending");
  expect((await post(partner, challengeUrl, { do: "pass-challenge" })).status).toBe(409);
});

test("the payer of an open amount enters it on the page, with a comma too", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX", { amount: undefined }), "v3");
  const page = `${PAY}default/${order["id"]}`;
  expect(await (await open(partner, page)).text()).toContain("You choose the amount");
  expect((await post(partner, page, { do: "pay" })).status).toBe(409);
  expect((await post(partner, page, { do: "pay", amount: "much" })).status).toBe(409);
  expect((await post(partner, page, { do: "pay", amount: "12,50" })).status).toBe(303);
  expect(await orderNow(partner, order["id"])).toMatchObject({
    status: "PAID",
    paidAmount: { value: "12.50" },
  });
});

test("texts of a company are shown as text, never as markup", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("DEPOSIT", { description: "<script>alert(1)</script>" }));
  const html = await (await open(partner, order["checkoutUrl"])).text();
  expect(html).toContain("&lt;script&gt;");
  expect(html).not.toContain("<script");
});

test("a form from another site, an unknown action and a late action change nothing", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("DEPOSIT"));
  const url = order["checkoutUrl"];
  expect((await post(partner, url, { do: "pay" }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post(partner, url, { do: "pass-challenge" })).status).toBe(409);
  expect((await post(partner, url, {})).status).toBe(409);
  expect((await orderNow(partner, order["id"]))["status"]).toBe("INITIAL");
  await partner.advance("P1D");
  const late = await post(partner, url, { do: "pay" });
  expect(late.status).toBe(409);
  expect(await late.text()).toContain("is EXPIRED");
});

test("an order, a world or an image that does not exist is answered with a page", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("DEPOSIT"));
  for (const path of [
    "default/nobody",
    `w9/${order["id"]}`,
    `default/${order["id"]}/qrcode.png`,
    "default/nobody/3ds",
  ]) {
    const page = await open(partner, PAY + path);
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("There is no such order");
  }
  expect((await post(partner, `${PAY}default/nobody`, { do: "pay" })).status).toBe(404);
});

test("the pages of another world act in that world", async () => {
  await using partner = await openPartner();
  const made = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  const [company] = made.body["companies"] as { token: string }[];
  const asked = { body: orderBody("PIX"), key: "k", token: company?.token ?? "" };
  const { body: order } = await partner.ask("PUT", "/order/v2/transparent", asked);
  expect(order["qrcodeImageUrl"]).toBe(`${PAY}${made.body["id"]}/${order["id"]}/qrcode.png`);
  expect((await post(partner, `${PAY}${made.body["id"]}/${order["id"]}`, { do: "pay" })).status).toBe(303);
  const path = `/sandbox/resources/orders/${order["id"]}`;
  const { body: paid } = await partner.ask("GET", path, { token: company?.token ?? "" });
  expect(paid["status"]).toBe("PAID");
});
