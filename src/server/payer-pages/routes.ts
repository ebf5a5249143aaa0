import type { Context, Hono } from "hono";
import type { OrderView } from "./order-page.ts";
import type { Page } from "./page.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { accounts } from "../../platform/accounts/account.ts";
import { acts } from "../../platform/catalog.ts";
import { commonHeaders } from "../answer.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { noticePage, pageAnswer, style } from "./page.ts";
import { appPage, challengePage, orderPage } from "./order-page.ts";
import { orders } from "../../platform/orders/order.ts";
import { qrImage } from "../../platform/qr-image.ts";
import { inboundOf } from "../inbound-requests.ts";
import { readTextBody } from "../request.ts";

/** An order that is to be paid, in the world that its address names. */
interface Visit extends OrderView {
  readonly world: World;
}

type Show = (view: OrderView) => Page;

const ORDER = "/pay/:world/:order";

/**
 * Mounts the pages on which payers pay, decline and pass challenges: every address in the answer of an order.
 * They need no token, as such pages never do: any visitor may pay.
 */
export function mountPages(app: Hono, worlds: Worlds): void {
  app.get("/pay/style.css", () => fileAnswer(worlds.default, style, "text/css; charset=utf-8"));
  app.get(`${ORDER}/qrcode.png`, (c) => showQrCode(worlds, c));
  for (const [place, show, actions] of [
    ["", orderPage, ["pay", "decline"]],
    ["/3ds", challengePage, ["pass-challenge", "fail-challenge"]],
    ["/app", appPage, ["pay", "decline"]],
  ] as const satisfies readonly (readonly [string, Show, readonly string[]])[]) {
    app.get(ORDER + place, (c) => showPage(worlds, c, show));
    app.post(ORDER + place, (c) => submitForm(worlds, c, actions));
  }
}

async function showPage(worlds: Worlds, c: Context, show: Show): Promise<Response> {
  const visit = visitOf(worlds, c);
  return visit === undefined ? noSuchOrder(worlds) : pageAnswer(visit.world, show(visit));
}

/** Performs the payer's action as an act; the page then shows the outcome. */
async function submitForm(worlds: Worlds, c: Context, actions: readonly string[]): Promise<Response> {
  const visit = visitOf(worlds, c);
  if (visit === undefined) return noSuchOrder(worlds);
  const notDone = (sentence: string, status: 403 | 409): Promise<Response> =>
    pageAnswer(visit.world, noticePage({ title: "Not done", sentence, status }));
  if (c.req.header("sec-fetch-site") === "cross-site") {
    return notDone("The form was sent from another site. Open this page and use its form.", 403);
  }
  const read = await readTextBody(c.req.raw, inboundOf(c));
  const form = new URLSearchParams("text" in read ? read.text : "");
  const action = form.get("do") ?? "";
  if (!actions.includes(action)) {
    return notDone(`This page can ${actions.join(" or ")}. Go back and choose one of them.`, 409);
  }
  const amount = form.get("amount")?.trim().replace(",", ".");
  const refusal = perform(c, visit, { name: `order.${action}`, fields: amount ? { amount } : {} });
  if (refusal !== undefined) return notDone(refusal, 409);
  const headers = { location: visit.path, ...commonHeaders(visit.world) };
  return new Response(null, { status: 303, headers });
}

/** Performs an act on the order; returns the sentence of the refusal, where it is refused. */
function perform(
  c: Context,
  { world, order }: Visit,
  { name, fields }: { readonly name: string; readonly fields: object },
): string | undefined {
  const act = assertDefined(acts.get(name), `the act ${name}`);
  const run = (tx: Transaction): void => act.run(tx, order.id, fields);
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
  const sentence = "The address is wrong, or the world of the order was reset. Create a new order.";
  return pageAnswer(worlds.default, noticePage({ title: "There is no such order", sentence, status: 404 }));
}

function fileAnswer({ now }: { now: number }, body: string | Buffer<ArrayBuffer>, type: string): Response {
  const headers = { "content-type": type, "x-content-type-options": "nosniff", "cache-control": "no-store" };
  return new Response(body, { headers: { ...headers, ...commonHeaders({ now }) } });
}
