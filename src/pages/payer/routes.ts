import { namedOf, type ServerEnv } from "../../server/environment.ts";
import type { Context, Hono } from "hono";
import type { Refusal } from "../../simulator/engine/refusal.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds/worlds.ts";
import { accounts } from "../../simulator/platform/accounts/account.ts";
import { acts } from "../../simulator/platform/catalog.ts";
import { appPage, challengePage, orderPage } from "./order-page.ts";
import type { OrderView } from "./payment-method.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { assumption } from "../../simulator/platform/assumptions/assumptions.ts";
import { cancellationsOf } from "../../simulator/platform/cancellations/cancellation.ts";
import { commonHeaders } from "../../server/answer.ts";
import { LANGUAGES, type PayerLanguage, languageOf, textsIn, typedAmount } from "./texts.ts";
import { type Page, type PageView, noticePage, pageAnswer, script, style } from "./page.ts";
import { isFromForeignPage } from "../../server/guards.ts";
import { orders, payableAs, takesParts } from "../../simulator/platform/orders/order.ts";
import { drawQrCode } from "../../simulator/qr-images/qr-images.ts";
import { readTextBody } from "../../server/request-body.ts";
import { type SubscriptionView, subscriptionPage } from "./subscription-page.ts";
import { subscriptions } from "../../simulator/platform/subscriptions/subscription.ts";

/** An object with a page for its payer. */
interface Visit<View extends PageView> {
  readonly world: World;
  readonly id: string;
  readonly view: View;
}

/** The effect of a page's button: an act on its object, with the fields of the form. */
type Action = (form: URLSearchParams) => { readonly act: string; readonly fields: object };

/** A page: the object in its address, its content, and the effects of its buttons. */
interface PayerPage<View extends PageView> {
  readonly find: (c: Context) => Visit<View> | undefined;
  readonly show: (view: View) => Page;
  readonly actions: Readonly<Record<string, Action>>;
  readonly missing: "order" | "subscription";
}

const ORDER = "/pay/:world/:order";

const act =
  (name: string): Action =>
  () => ({ act: name, fields: {} });

const payOrder: Action = (form) => {
  const amount = form.get("amount")?.trim();
  return { act: "order.pay", fields: amount ? { amount: typedAmount(amount) } : {} };
};

const acceptSubscription: Action = (form) => {
  const maximum = form.get("maximum")?.trim();
  const maxAmount = { currency: "BRL", value: typedAmount(maximum ?? "") };
  return { act: "subscription.accept", fields: maximum ? { maxAmount } : {} };
};

const cancelSubscription: Action = () => ({
  act: "subscription.request-cancellation",
  fields: { reason: "REQUESTED_BY_PAYER" },
});

/**
 * Mounts the pages for paying, declining and passing challenges, at every address in the answer of an order. Also
 * mounts the page for authorizing a subscription. They need no token, like all such pages: any visitor may pay.
 */
export function mountPages(app: Hono<ServerEnv>, worlds: Worlds): void {
  app.get("/pay/style.css", () => fileAnswer(worlds, style, "text/css; charset=utf-8"));
  app.get("/pay/copy.js", () => fileAnswer(worlds, script, "text/javascript; charset=utf-8"));
  mountPage(app, worlds, "/pay/subscriptions/:subscription", {
    find: (c) => subscriptionVisit(worlds, c),
    show: subscriptionPage,
    actions: {
      accept: acceptSubscription,
      reject: act("subscription.reject"),
      cancel: cancelSubscription,
    },
    missing: "subscription",
  });
  app.get(`${ORDER}/qrcode.png`, (c) => showQrCode(worlds, c));
  const order = { find: (c: Context) => orderVisit(worlds, c), missing: "order" } as const;
  const decline = act("order.decline");
  mountPage(app, worlds, ORDER, { ...order, show: orderPage, actions: { pay: payOrder, decline } });
  mountPage(app, worlds, `${ORDER}/app`, { ...order, show: appPage, actions: { pay: payOrder, decline } });
  mountPage(app, worlds, `${ORDER}/3ds`, {
    ...order,
    show: challengePage,
    actions: {
      "pass-challenge": act("order.pass-challenge"),
      "fail-challenge": act("order.fail-challenge"),
    },
  });
}

function mountPage<View extends PageView>(
  app: Hono<ServerEnv>,
  worlds: Worlds,
  path: string,
  page: PayerPage<View>,
): void {
  app.get(path, async (c) => {
    const visit = page.find(c);
    return visit === undefined
      ? missingPage(worlds, c, page.missing)
      : pageAnswer(visit.world, visit.view, page.show(visit.view));
  });
  app.post(path, (c) => submitForm(worlds, c, page));
}

/** Performs the payer's action as an act. The page then shows the outcome, or the reason for a refusal. */
async function submitForm<View extends PageView>(
  worlds: Worlds,
  c: Context,
  { find, show, actions, missing }: PayerPage<View>,
): Promise<Response> {
  const visit = find(c);
  if (visit === undefined) return missingPage(worlds, c, missing);
  const { world, id, view } = visit;
  const { texts } = view;
  const notDone = (
    status: 403 | 409,
    alert: { sentence: string; detail?: string },
    typed?: string,
  ): Promise<Response> =>
    pageAnswer(world, view, show({ ...(find(c)?.view ?? view), typed }), { status, alert });
  if (isFromForeignPage(c.req.raw)) return notDone(403, { sentence: texts.otherSite });
  const read = await readTextBody(namedOf(c));
  const form = new URLSearchParams("text" in read ? read.text : "");
  const name = form.get("do") ?? "";
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return notDone(409, { sentence: texts.unknownAction });
  const { act: actName, fields } = action(form);
  const performed = assertDefined(acts.get(actName), `the act ${actName}`);
  await world.clock.ready();
  const outcome = world.execute(
    { by: "act", name: actName },
    (tx) => performed.run(tx, id, fields),
    namedOf(c).inbound,
  );
  const typed = form.get("amount") ?? form.get("maximum") ?? undefined;
  if (!outcome.ok) return notDone(409, refusalIn(outcome.refusal, view), typed);
  // In a frame only the page of a challenge is shown.
  const { pathname, search } = new URL(c.req.url);
  const location = c.req.header("sec-fetch-dest") === "iframe" ? pathname + search : view.href();
  return new Response(null, { status: 303, headers: { location, ...commonHeaders(world) } });
}

/** Explains a refusal to a payer: the right input, or that it is too late. */
function refusalIn({ problems, message }: Refusal, view: PageView): { sentence: string; detail: string } {
  const { texts } = view;
  const detail = problems.length > 0 ? problems.map(({ description }) => description).join(" ") : message;
  const isAbout = (name: string): boolean => problems.some(({ field }) => field.startsWith(name));
  if (isAbout("maxAmount")) {
    const { maxAmountFloor } = (view as SubscriptionView).subscription;
    return { sentence: texts.badMaximum(maxAmountFloor && texts.amount(maxAmountFloor)), detail };
  }
  return { sentence: isAbout("amount") ? texts.badAmount : texts.changedMeanwhile, detail };
}

async function showQrCode(worlds: Worlds, c: Context): Promise<Response> {
  const visit = orderVisit(worlds, c);
  const checkout = visit?.view.order.checkout;
  if (visit === undefined || checkout?.kind !== "pix") return missingPage(worlds, c, "order");
  return fileAnswer(visit.world, drawQrCode(checkout.qrcodeData), "image/png");
}

function orderVisit(worlds: Worlds, c: Context): Visit<OrderView> | undefined {
  const { world: worldId = "", order: id = "" } = c.req.param() as Record<string, string>;
  const world = worlds.get(worldId);
  const order = world?.records.get(orders, id);
  if (world === undefined || order === undefined) return undefined;
  const account = assertDefined(
    world.records.get(accounts, order.accountId),
    `the account ${order.accountId}`,
  );
  const { currency } = order.amount ?? { currency: "BRL" };
  const view = {
    ...pageView(c, currency === "MXN" ? "es" : "pt", `/pay/${worldId}/${id}`),
    order,
    account,
    payable: payableAs(world.records, order),
    takesParts: takesParts(world.records, order),
    takesMore: assumption(world.records, "order.overpayment") !== "refuse",
  };
  return { world, id, view };
}

function subscriptionVisit(worlds: Worlds, c: Context): Visit<SubscriptionView> | undefined {
  const id = c.req.param("subscription") ?? "";
  const world = worlds.get(c.req.query("world") ?? DEFAULT_WORLD);
  const subscription = world?.records.get(subscriptions, id);
  if (world === undefined || subscription === undefined) return undefined;
  const isBeingCanceled = cancellationsOf(world.records, id).some(({ status }) => status === "PENDING");
  const view = { ...pageView(c, "pt", `/pay/subscriptions/${id}`), subscription, isBeingCanceled };
  return { world, id, view };
}

/** Texts and addresses of a page. Its own query, which may name a world and a language, goes with every address. */
function pageView(c: Context, ofCountry: PayerLanguage, path: string): PageView {
  const { world, lang } = c.req.query();
  const acceptLanguage = c.req.header("accept-language");
  const language = languageOf({ lang, acceptLanguage }, ofCountry);
  const address = (place: string, languageTag: string | undefined): string => {
    const query = new URLSearchParams({ ...(world && { world }), ...(languageTag && { lang: languageTag }) });
    return `${path}${place}${query.size > 0 ? `?${query.toString()}` : ""}`;
  };
  const place = new URL(c.req.url).pathname.slice(path.length);
  return {
    texts: textsIn(language),
    href: (under = "") => address(under, lang),
    otherLanguages: ([ofCountry, "en"] as const)
      .filter((other) => other !== language)
      .map((other) => ({ language: other, href: address(place, LANGUAGES[other].tag) })),
  };
}

function missingPage(worlds: Worlds, c: Context, what: "order" | "subscription"): Promise<Response> {
  const view = pageView(c, "pt", new URL(c.req.url).pathname);
  const { texts } = view;
  const page =
    what === "order"
      ? noticePage(texts.noSuchOrder, texts.noSuchOrderText)
      : noticePage(texts.noSuchSubscription, texts.noSuchSubscriptionText);
  return pageAnswer(worlds, view, page, { status: 404 });
}

function fileAnswer({ now }: { now: number }, body: string | Buffer<ArrayBuffer>, type: string): Response {
  const headers = { "content-type": type, "x-content-type-options": "nosniff", "cache-control": "no-store" };
  return new Response(body, { headers: { ...headers, ...commonHeaders({ now }) } });
}
