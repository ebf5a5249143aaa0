import { type Partner, createSubscription, openPartner, subscriptionBody } from "../../partner.ts";
import {
  BRAZIL,
  card,
  CARDS,
  makeOrder,
  MEXICO,
  orderBody,
  orderNow,
} from "../../simulator/platform/orders/asking.ts";
import { expect, test } from "vitest";

const PAY = "http://localhost/pay/";

/** Every address in an answer, however deep. */
function addressesIn(value: unknown): string[] {
  if (typeof value === "string") return value.startsWith("http://") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(addressesIn) : [];
}

function open(partner: Partner, url: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const { pathname, search } = new URL(String(url));
  return partner.sandbox.fetch(pathname + search, { headers });
}

function post(partner: Partner, url: unknown, form: Record<string, string>, headers = {}): Promise<Response> {
  const { pathname, search } = new URL(String(url));
  return partner.sandbox.fetch(pathname + search, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

const challenged = orderBody("CREDIT_CARD", {}, { paymentDetails: { card: card(CARDS.challenged) } });

for (const method of [...BRAZIL, ...MEXICO]) {
  test(`every page that a ${method} order links to opens, without a foreign source or a script but the one that copies`, async () => {
    await using partner = await openPartner();
    const order = await makeOrder(partner, method === "CREDIT_CARD" ? challenged : orderBody(method));
    for (const address of addressesIn(order)) {
      expect(address.startsWith(`${PAY}default/${order["id"]}`)).toBe(true);
      const page = await open(partner, address);
      expect(page.status).toBe(200);
      expect(page.headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
      if (page.headers.get("content-type") === "image/png") continue;
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      const policy = page.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      const ancestors = address.endsWith("/3ds") ? "http: https:" : "'none'";
      expect(policy).toContain(`; frame-ancestors ${ancestors}`);
      const html = await page.text();
      expect(html).not.toMatch(/<script(?! src="\/pay\/copy.js" defer>)|style="|https?:\/\/(?!www\.w3\.org)/);
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

test("the page of a boleto shows its barcode and its line", async () => {
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
  expect(html).toContain("O pagamento foi recebido");
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
  expect(await (await open(partner, challengeUrl)).text()).toContain("No hay confirmación pendiente");
  expect((await post(partner, challengeUrl, { do: "pass-challenge" })).status).toBe(409);
});

test("the payer of an open amount enters it on the page, with a comma too", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX", { amount: undefined }), "v3");
  const page = `${PAY}default/${order["id"]}`;
  expect(await (await open(partner, page)).text()).toContain("Você escolhe o valor");
  expect((await post(partner, page, { do: "pay" })).status).toBe(409);
  expect((await post(partner, page, { do: "pay", amount: "much" })).status).toBe(409);
  expect((await post(partner, page, { do: "pay", amount: "12,50" })).status).toBe(303);
  expect(await orderNow(partner, order["id"])).toMatchObject({
    status: "PAID",
    paidAmount: { value: "12.50" },
  });
});

test.each([
  ["59,90", "59.90"],
  ["1.234,50", "1234.50"],
  ["1,234.50", "1234.50"],
  ["1.234", "1234.00"],
  [" 12.5 ", "12.50"],
])("a payer who types %s pays %s", async (amount, value) => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX", { amount: undefined }), "v3");
  expect((await post(partner, `${PAY}default/${order["id"]}`, { do: "pay", amount })).status).toBe(303);
  expect(await orderNow(partner, order["id"])).toMatchObject({ paidAmount: { value } });
});

test("an amount that was refused stays in its field", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("PIX", { amount: undefined }), "v3");
  const refused = await post(partner, `${PAY}default/${order["id"]}`, { do: "pay", amount: "12,3456" });
  const html = await refused.text();
  expect(html).toContain('value="12,3456"');
  expect(html).toContain("O valor não é válido");
});

test.each([
  ["PIX", "", undefined, "pt-BR", "R$ 150,00"],
  ["SPEI", "", "pt-BR", "es-MX", "$150.00"],
  ["PIX", "", "es-MX,es;q=0.9", "pt-BR", "R$ 150,00"],
  ["PIX", "", "en-US,en;q=0.9,pt;q=0.8", "en", "R$150.00"],
  ["PIX", "", "pt-BR,pt;q=0.9,en;q=0.8", "pt-BR", "R$ 150,00"],
  ["SPEI", "", "pt;q=0.5, en;q=0.9", "en", "MX$150.00"],
  ["PIX", "", "en;q=0, pt", "pt-BR", "R$ 150,00"],
  ["PIX", "?lang=en", "pt-BR", "en", "R$150.00"],
  ["SPEI", "?lang=es-MX", "en-US", "es-MX", "$150.00"],
  ["PIX", "?lang=tlh", "en-US", "en", "R$150.00"],
])("the page of a %s order at %s for a browser that asks for %s is in %s", async (...row) => {
  const [method, query, asked, language, amount] = row;
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody(method));
  const headers = asked === undefined ? {} : { "accept-language": asked };
  const page = await open(partner, `${PAY}default/${id}${query}`, headers);
  expect(page.headers.get("content-language")).toBe(language);
  expect(page.headers.get("vary")).toBe("accept-language");
  const html = await page.text();
  expect(html).toContain(`<html lang="${language}">`);
  expect(html.replaceAll(/\s+/g, " ")).toContain(`<p class="amount "> ${amount} </p>`);
});

test("the chosen language goes with every address of a page", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, challenged);
  const page = `${PAY}default/${order["id"]}`;
  expect(await (await open(partner, `${page}?lang=en`)).text()).toContain(
    `/pay/default/${order["id"]}/3ds?lang=en"`,
  );
  const paid = await post(partner, `${page}/3ds?lang=en`, { do: "pass-challenge" });
  expect(paid.headers.get("location")).toBe(`/pay/default/${order["id"]}?lang=en`);
});

test("a payer authorizes a subscription with a maximum, which the receiver does not see", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const url = `${PAY}subscriptions/${String(id)}`;
  const html = await (await open(partner, url)).text();
  expect(html).toContain("<h1>Acme Assinaturas LTDA</h1>");
  const image = await partner.ask("GET", `/order/v1/banking/subscriptions/${String(id)}`);
  const { imageBase64 } = image.body["qrcodeDetail"] as { imageBase64: string };
  expect(html).toContain(`src="data:image/png;base64,${imageBase64}"`);
  const accepted = await post(partner, url, { do: "accept", maximum: "100,00" });
  expect(accepted.headers.get("location")).toBe(`/pay/subscriptions/${String(id)}`);
  const { body } = await partner.ask("GET", `/order/v1/banking/subscriptions/${String(id)}`);
  expect(body["status"]).toBe("ACCEPTED");
  expect(JSON.stringify(body)).not.toContain("100");
  expect(await (await open(partner, url)).text()).toContain("R$ 100,00");
});

test("a payer who refuses a subscription with a first charge pays nothing", async () => {
  await using partner = await openPartner();
  const { id, initialCharge } = await createSubscription(partner, {
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: "150.00" } },
  });
  const url = `${PAY}subscriptions/${String(id)}`;
  expect(await (await open(partner, url)).text()).toContain("Pagar R$ 150,00 e autorizar");
  expect((await post(partner, url, { do: "reject" })).status).toBe(303);
  const { orderId } = initialCharge as { orderId: string };
  expect((await orderNow(partner, orderId))["status"]).toBe("CANCELED");
  const late = await post(partner, url, { do: "accept" });
  expect(late.status).toBe(409);
  expect(await late.text()).toContain("Isso não é mais possível");
});

test("a maximum below what the receiver allows is refused with the least amount, and nothing is authorized", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { maxAmountFloor: { currency: "BRL", value: "50.00" } });
  const url = `${PAY}subscriptions/${String(id)}?lang=en`;
  for (const maximum of ["49,99", "much"]) {
    const refused = await post(partner, url, { do: "accept", maximum });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("Write an amount of at least R$50.00.");
  }
  const { body } = await partner.ask("GET", `/order/v1/banking/subscriptions/${String(id)}`);
  expect(body["status"]).toBe("PENDING_AUTHORIZATION");
});

test("the page of an object is named in the header link, with its world", async () => {
  await using partner = await openPartner();
  const made = await partner.ask("POST", "/sandbox/worlds", { body: {} });
  const [company] = made.body["companies"] as { token: string; accounts: string[] }[];
  const token = company?.token ?? "";
  const body = subscriptionBody({ accountId: company?.accounts[0] });
  const { body: subscription } = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    body,
    token,
  });
  const id = String(subscription["id"]);
  const seen = await partner.ask("GET", `/sandbox/resources/subscriptions/${id}`, { token });
  const page = `${PAY}subscriptions/${id}?world=${String(made.body["id"])}`;
  expect(seen.headers.get("link")).toBe(`<${page}>; rel="payer-page"`);
  expect((await open(partner, `${PAY}subscriptions/${id}`)).status).toBe(404);
  expect((await post(partner, page, { do: "accept" })).status).toBe(303);
  const { body: accepted } = await partner.ask("GET", `/sandbox/resources/subscriptions/${id}`, { token });
  expect(accepted["status"]).toBe("ACCEPTED");
  const { headers } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(headers.get("link")).toBeNull();
});

test("texts of a company are shown as text, never as markup", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("DEPOSIT", { description: "<script>alert(1)</script>" }));
  const html = await (await open(partner, order["checkoutUrl"])).text();
  expect(html).toContain("&lt;script&gt;");
  expect(html).not.toContain("<script>");
});

test("a form from another site, an unknown action and a late action change nothing", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, orderBody("DEPOSIT"));
  const url = order["checkoutUrl"];
  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://shop.example" },
    { origin: "null" },
  ])
    expect((await post(partner, url, { do: "pay" }, headers)).status).toBe(403);
  expect((await post(partner, url, { do: "pass-challenge" })).status).toBe(409);
  expect((await post(partner, url, {})).status).toBe(409);
  expect((await orderNow(partner, order["id"]))["status"]).toBe("INITIAL");
  await partner.advance("P1D");
  const late = await post(partner, url, { do: "pay" });
  expect(late.status).toBe(409);
  expect(await late.text()).toContain("is EXPIRED");
});

test("a form of the page itself is accepted, and in a frame the page of the challenge stays", async () => {
  await using partner = await openPartner();
  const order = await makeOrder(partner, challenged);
  const url = `${PAY}default/${order["id"]}/3ds`;
  const headers = { origin: new URL(url).origin, "sec-fetch-dest": "iframe" };
  const answer = await post(partner, url, { do: "pass-challenge" }, headers);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, new URL(url).pathname]);
  expect((await open(partner, url)).headers.get("referrer-policy")).toBe("same-origin");
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
    expect(await page.text()).toContain("Este pedido não existe");
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

test.each([
  ["order.late-payment", "order.expire", "The time to pay this order is over", "REFUNDED"],
  ["order.overpayment", "order.pay", "It is paid already", "PAID"],
])("with %s an order is paid on its page after %s", async (assumption, act, sentence, status) => {
  const value = assumption === "order.overpayment" ? "accept" : "return";
  await using partner = await openPartner({ assumptions: { [assumption]: value } });
  const order = await makeOrder(partner, orderBody("DEPOSIT"));
  const url = `${String(order["checkoutUrl"])}?lang=en`;
  await partner.act(act, { id: order["id"] });
  const html = await (await open(partner, url)).text();
  expect(html).toContain(sentence);
  expect(html).not.toContain('value="decline"');
  expect((await post(partner, url, { do: "pay" })).status).toBe(303);
  expect(await orderNow(partner, order["id"])).toMatchObject({ status });
});

test("a payer pays more on the page where that is taken, and gets an error where it is not", async () => {
  await using refusing = await openPartner();
  const refused = await makeOrder(refusing, orderBody("DEPOSIT"));
  expect((await post(refusing, refused["checkoutUrl"], { do: "pay", amount: "200.00" })).status).toBe(409);
  await using partner = await openPartner({ assumptions: { "order.overpayment": "accept" } });
  const order = await makeOrder(partner, orderBody("DEPOSIT"));
  expect(await (await open(partner, `${String(order["checkoutUrl"])}?lang=en`)).text()).toContain(
    "Pay another amount",
  );
  expect((await post(partner, order["checkoutUrl"], { do: "pay", amount: "200.00" })).status).toBe(303);
  expect(await orderNow(partner, order["id"])).toMatchObject({ paidAmount: { value: "200.00" } });
});

test("the page of a boleto offers parts only where they are taken", async () => {
  for (const [value, isOffered] of [
    ["as-sent", true],
    ["never", false],
  ] as const) {
    await using partner = await openPartner({ assumptions: { "order.partial-payment": value } });
    const order = await makeOrder(partner, orderBody("BOLETO"));
    const html = await (await open(partner, `${String(order["checkoutUrl"])}?lang=en`)).text();
    expect(html.includes("Pay a part of it")).toBe(isOffered);
  }
});

test("the page of a subscription says that a payer who walks away sends nothing", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, subscriptionBody());
  const html = await (await open(partner, `http://localhost/pay/subscriptions/${String(id)}?lang=en`)).text();
  expect(html).toContain("If you close the page, your bank sends no answer.");
});
