import type { Attempt, Delivery } from "../../platform/webhook-events/delivery.ts";
import type { World } from "../../worlds/world.ts";
import { withQrImages } from "../../webhooks/qr-images.ts";
import { formatInstant, formatMicroseconds } from "../../engine/instant.ts";
import { amountShape, timestampOrNull } from "../../platform/shape.ts";
import type { ListedCompany, ListedWorld } from "../servers.ts";
import { accounts } from "../../platform/accounts/account.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { accessTokens } from "../../platform/companies/access.ts";
import { companies } from "../../platform/companies/company.ts";
import { balances, isBalanced, ledgerEntries } from "../../platform/ledger/ledger.ts";

// What the sandbox's own API answers with. The types of the library come from here, so nothing here needs the server.

export type WorldShape = ReturnType<typeof worldShape>;

/** A world with the credentials of its companies, wherever it is. */
export function worldShape({ id, name, seed, clock: { mode, now }, companies: list, server }: ListedWorld) {
  return {
    id,
    name,
    seed,
    clock: { mode, now: formatInstant(now) },
    companies: list,
    server,
    state: server === null ? "asleep" : "awake",
  };
}

/** The companies of a world with their credentials. */
export function companiesOf({ records }: World): ListedCompany[] {
  return Array.from(records.all(companies), ({ id, clientId, clientSecret, webhook }) => ({
    id,
    clientId,
    clientSecret,
    token: assertDefined(
      Array.from(records.all(accessTokens)).find((token) => token.companyId === id),
      `a token of ${id}`,
    ).id,
    webhookSecret: webhook.secret,
    accounts: records.find(accounts, "company", id).map((account) => account.id),
  }));
}

/** Every account with its amount, and every entry. */
export function ledgerShape({ records }: Pick<World, "records">) {
  const amounts = [...records.all(balances)].values().map(({ account, amount }) => ({
    account,
    ...amountShape(amount),
  }));
  const entries = [...records.all(ledgerEntries)].values().map(({ id, at, memo, objectId, postings }) => ({
    id,
    at: formatInstant(at),
    memo,
    objectId,
    postings: postings.map(({ account, amount }) => ({ account, ...amountShape(amount) })),
  }));
  return { balanced: isBalanced(records), accounts: amounts, entries };
}

/** A body as its client reads it: each iterator is a list. */
type Written<Body> = {
  readonly [Field in keyof Body]: Body[Field] extends IteratorObject<infer Item> ? Item[] : Body[Field];
};

export type LedgerShape = Written<ReturnType<typeof ledgerShape>>;

export type DeliveryShape = ReturnType<typeof deliveryShape>;

/** A delivery as the sandbox's own API shows it: each attempt with what was sent and what was answered. */
export function deliveryShape(world: World, delivery: Delivery) {
  const { id, event, objectId, collection, url, status, body, duplicateOf, faults } = delivery;
  return {
    id,
    event,
    objectId,
    collection,
    url,
    status,
    progress: progressOf(delivery, world.now),
    body: withQrImages(body),
    duplicateOf,
    injected: faults.map(({ effect }) => effect),
    attempts: delivery.attempts.map((attempt) => attemptShape(world, delivery, attempt)),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    createdAt: formatMicroseconds(delivery.createdAt),
  };
}

function attemptShape(world: World, { id, url }: Delivery, attempt: Attempt) {
  const requestBody = withQrImages(attempt.requestBody);
  return {
    ...attempt,
    requestBody,
    at: formatInstant(attempt.at),
    durationMs: world.attemptDurationMs(id, attempt.number),
    curl: curlOf(url, { ...attempt, requestBody }),
  };
}

/** The first attempt and its four retries (interface: Events, Delivery rule 2). */
const ATTEMPTS_MAX = 5;

/** The progress of a delivery as a phrase: `retrying 2/5, next in 4 m 12 s`. */
function progressOf({ status, attempts, pending, nextAttemptAt, waitsFor }: Delivery, now: number): string {
  const made = attempts.filter(({ trigger }) => trigger === "scheduled").length;
  const next =
    pending.length > 0 ? "in flight" : nextAttemptAt === null ? "" : `next in ${span(nextAttemptAt - now)}`;
  const until = waitsFor === null ? "" : " at the latest";
  switch (status) {
    case "scheduled":
      return `scheduled${next === "" ? "" : `, ${next}${until}`}`;
    case "retrying":
      return `retrying ${made}/${ATTEMPTS_MAX}${next === "" ? "" : `, ${next}${until}`}`;
    case "delivered":
      return `delivered by attempt ${attempts.findLastIndex(({ error }) => error === null) + 1}`;
    case "undelivered":
      return `undelivered after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
    case "lost":
      return "lost: no attempt will be made";
  }
}

/** A length of time by its two largest units: `4 m 12 s`, `2 h 0 m`, `1 d 3 h`. */
function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [d, h, m, s] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(
    Math.floor,
  );
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} m`;
  return m ? `${m} m ${s} s` : `${s} s`;
}

/** The attempt as a shell command; null where its body was too large to be stored completely. */
function curlOf(
  url: string,
  { requestHeaders, requestBody: body, requestBytes }: Omit<Attempt, "requestBody"> & { requestBody: string },
): string | null {
  if (Buffer.byteLength(body) !== requestBytes) return null;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  // Without these two curl would add its own content type, and wait for 100-continue.
  const others = ["content-type", "expect"].filter((name) => !(name in requestHeaders));
  const absent = others.map((name) => `-H ${quoted(`${name}:`)}`);
  return ["curl -X POST", quoted(url), ...headers, ...absent, `--data-binary ${quoted(body)}`].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
