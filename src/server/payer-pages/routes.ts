import type { Context, Hono } from "hono";
import type { OrderView } from "./order-page.ts";
import type { Page } from "./page.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { accounts } from "../../platform/accounts/account.ts";
import { acts } from "../../platform/acts.ts";
import { appPage, challengePage } from "./hand-pages.ts";
import { commonHeaders } from "../answer.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { noticePage, pageAnswer } from "./page.ts";
import { orderPage } from "./order-page.ts";
import { orders } from "../../platform/orders/order.ts";
import { qrImage } from "../../platform/qr-image.ts";
import { inboundOf } from "../inbound-requests.ts";
import { readTextBody } from "../request-body.ts";
import { style } from "./style.ts";

/** An order somebody came to pay, in the world its address names. */
interface Visit extends OrderView {
  readonly world: World;
}

type Show = (view: OrderView) => Page;

const ORDER = "/pay/:world/:order";

/**
 * Mounts the pages on which payers pay, decline and pass challenges: every address that an order hands out.
 * They need no token, as such pages never do: whoever has the address may pay.
 */
export function mountPages(app: Hono, worlds: Worlds): void {
  app.get("/pay/style.css", () => fileAnswer(worlds.default, style, "text/css; charset=utf-8"));
  app.get(`${ORDER}/qrcode.png`, (c) => showQrCode(worlds, c));
  for (const [place, show, hands] of [
    ["", orderPage, ["pay", "decline"]],
    ["/3ds", challengePage, ["pass-challenge", "fail-challenge"]],
    ["/app", appPage, ["pay", "decline"]],
  ] as const satisfies readonly (readonly [string, Show, readonly string[]])[]) {
    app.get(ORDER + place, (c) => showPage(worlds, c, show));
    app.post(ORDER + place, (c) => takeHand(worlds, c, hands));
  }
}

async function showPage(worlds: Worlds, c: Context, show: Show): Promise<Response> {
  const visit = visitOf(worlds, c);
  return visit === undefined ? noSuchOrder(worlds) : pageAnswer(visit.world, show(visit));
}

/** What the payer did on a page becomes an act; the page then shows what came of it. */
async function takeHand(worlds: Worlds, c: Context, hands: readonly string[]): Promise<Response> {
  const visit = visitOf(worlds, c);
  if (visit === undefined) return noSuchOrder(worlds);
  const notDone = (sentence: string, status: 403 | 409): Promise<Response> =>
    pageAnswer(visit.world, noticePage({ title: "Not done", sentence, status }));
  if (c.req.header("sec-fetch-site") === "cross-site") {
    return notDone("The form was sent from another site. Open this page and use its own.", 403);
  }
  const read = await readTextBody(c.req.raw, inboundOf(c));
  const form = new URLSearchParams("text" in read ? read.text : "");
  const hand = form.get("do") ?? "";
  if (!hands.includes(hand)) {
    return notDone(`This page can ${hands.join(" or ")}. Go back and choose one of them.`, 409);
  }
  const amount = form.get("amount")?.trim().replace(",", ".");
  const refusal = perform(c, visit, { name: `order.${hand}`, fields: amount ? { amount } : {} });
  if (refusal !== undefined) return notDone(refusal, 409);
  const headers = { location: visit.path, ...commonHeaders(visit.world) };
  return new Response(null, { status: 303, headers });
}

/** Runs an act on the order; gives the sentence of the refusal, where it is refused. */
function perform(
  c: Context,
  { world, order }: Visit,
  { name, fields }: { readonly name: string; readonly fields: object },
): string | undefined {
  const act = assertDefined(acts.get(name), `the act ${name}`);
  const run = (tx: Transaction): void => act.run(tx, { id: order.id, fields: fields as never });
  const outcome = world.execute({ by: "act", name }, run, inboundOf(c));
  if (outcome.ok) return undefined;
  const { problems, message } = outcome.refusal;
  return problems.length > 0 ? problems.map(({ description }) => description).join(" ") : message;
}

async function showQrCode(worlds: Worlds, c: Context): Promise<Response> {
  const visit = visitOf(worlds, c);
  if (visit?.order.checkout?.kind !== "pix") return noSuchOrder(worlds);
  const image = Buffer.from(qrImage(visit.order.checkout.qrcodeData), "base64");
  return fileAnswer(visit.world, image, "image/png");
}

function visitOf(worlds: Worlds, c: Context): Visit | undefined {
  const { world: worldId = "", order: orderId = "" } = c.req.param() as Record<string, string>;
  const world = worlds.get(worldId);
  const order = world?.records.get(orders, orderId);
  if (world === undefined || order === undefined) return undefined;
  const account = assertDefined(
    world.records.get(accounts, order.accountId),
    `the account ${order.accountId}`,
  );
  return { world, order, account, path: `/pay/${worldId}/${orderId}` };
}

function noSuchOrder(worlds: Worlds): Promise<Response> {
  const sentence = "The address is wrong, or the world that held the order was reset. Make a new order.";
  return pageAnswer(worlds.default, noticePage({ title: "There is no such order", sentence, status: 404 }));
}

function fileAnswer({ now }: { now: number }, body: string | Buffer<ArrayBuffer>, type: string): Response {
  const headers = { "content-type": type, "x-content-type-options": "nosniff", "cache-control": "no-store" };
  return new Response(body, { headers: { ...headers, ...commonHeaders({ now }) } });
}
