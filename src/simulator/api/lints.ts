import type { Records } from "../engine/store.ts";
import type { OperationId } from "./vocabulary.ts";
import type { Lint } from "./generated/shapes.ts";
import { canonicalJson, isRecord, parsed } from "../engine/json.ts";
import { formatMoney } from "../engine/money.ts";
import type { Instant } from "../engine/instant.ts";
import { isBeingResent, scheduledPayments } from "../platform/scheduled-payments/scheduled-payment.ts";
import { operations } from "./operations.ts";

/** The number of times that a refused call may be sent again unchanged. */
const REPEATS_MAX = 2;

/** Refusals that ask for the same call again, later or with another token. */
const ASKS_AGAIN: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Returns true if an answer refuses the call itself: a 4xx that does not ask for the same call again. */
export function isRefusal(status: number | null = null): boolean {
  return status !== null && status >= 400 && status < 500 && !ASKS_AGAIN.has(status);
}

/** A call with the parts that lints compare. */
export interface LintedCall {
  readonly id: string;
  readonly at: Instant;
  readonly operation: OperationId;
  readonly company: string | null;
  readonly status: number | null;
  readonly isCarriedOut: boolean;
  readonly path: string;
  readonly key: string | undefined;
  readonly text: string;
  /** The body, written in one way. */
  readonly body: string;
  /** The body without its external id. */
  readonly rest: string;
  readonly authorization: string | undefined;
  /** The name of the object on the client's system. Undefined if the body has no such name. */
  readonly externalId: string | undefined;
  /** In units of the currency. */
  readonly amount: string | undefined;
}

/** Finds suspicious calls among calls from any source. */
export function lintsIn(calls: readonly LintedCall[]): Lint[] {
  const order = new Map(calls.map(({ id }, index) => [id, index]));
  const byOperation = Map.groupBy(calls, ({ operation, company }) => `${operation} ${company}`).values();
  return Array.from(byOperation)
    .flatMap((own) => [...twoKeys(own), ...withoutKey(own), ...reusedKeys(own), ...repeatedRefusals(own)])
    .toSorted((one, other) => (order.get(one.requests[0]!) ?? 0) - (order.get(other.requests[0]!) ?? 0));
}

/** Returns a call with the parts of its body that lints compare. */
export function lintedCall(call: Omit<LintedCall, "body" | "rest" | "externalId" | "amount">): LintedCall {
  const body = parsed(call.text);
  const order = isRecord(body) && isRecord(body["order"]) ? body["order"] : body;
  return {
    ...call,
    body: canonicalJson(body ?? null),
    rest: canonicalJson(withoutExternalId(body) ?? null),
    externalId: textIn(order, "externalId"),
    amount: amountIn(order),
  };
}

function textIn(value: unknown, field: string): string | undefined {
  const found = isRecord(value) ? value[field] : undefined;
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}

function amountIn(value: unknown): string | undefined {
  const amount = isRecord(value) ? value["amount"] : undefined;
  const text = isRecord(amount) ? textIn(amount, "value") : textIn(value, "amount");
  return text !== undefined && Number.isFinite(Number(text)) ? Number(text).toFixed(2) : text;
}

function sameWork(one: LintedCall, other: LintedCall): boolean {
  if (one.path !== other.path) return false;
  if (one.externalId !== undefined && one.externalId === other.externalId && one.amount === other.amount)
    return true;
  return one.body === other.body;
}

/** Two calls that did the same work under two idempotency keys. */
function twoKeys(calls: readonly LintedCall[]): Lint[] {
  const done = calls.filter(({ isCarriedOut, key }) => isCarriedOut && key !== undefined);
  return groups(done, sameWork).flatMap((same) => {
    const keys = [...new Set(same.map(({ key }) => key))];
    if (keys.length < 2) return [];
    const times = same.length === 2 ? "twice" : `${same.length} times`;
    const message = `${same[0].operation} was carried out ${times}${whatOf(same[0])} under ${keys.length} idempotency keys: ${keys.join(", ")}.`;
    const fix = "Store the idempotency key before the call, and repeat the call with the same key.";
    return [lint("two-keys", same, { message, fix })];
  });
}

/**
 * Finds calls without a required key, and work that was repeated under a new external id. Two equal orders may be
 * intended. So an order counts as a repetition only after a lost answer, if the client never asked for the first
 * order again.
 */
function withoutKey(calls: readonly LintedCall[]): Lint[] {
  const [first] = calls;
  const keyless = operations[first?.operation ?? "listAccounts"].idempotencyKey
    ? calls.filter(({ key }) => key === undefined)
    : [];
  const [one] = keyless;
  const missing = one && [
    lint("no-key", [one, ...keyless.slice(1)], {
      message: `${one.operation} was sent without an idempotency key${keyless.length === 1 ? "" : `, ${keyless.length} times`}: nothing protects it from being done twice.`,
      fix: "Send the header idempotency-key, and keep the key for repetitions.",
    }),
  ];
  const done = calls.filter(({ isCarriedOut, externalId }) => isCarriedOut && externalId !== undefined);
  const newest = new Map(calls.map((call) => [call.externalId, call]));
  const isLost = (call: LintedCall): boolean =>
    (call.status === null || call.status >= 500) && newest.get(call.externalId) === call;
  const isMadeAgain = (before: LintedCall, after: LintedCall): boolean =>
    before.path === after.path &&
    before.externalId !== after.externalId &&
    before.rest === after.rest &&
    isLost(before);
  const again = groups(done, isMadeAgain).flatMap((same) => {
    if (same.length < 2) return [];
    const ids = same.map(({ externalId }) => externalId).join(" and ");
    const message = `${same[0].operation} was carried out for ${ids} with bodies that are otherwise equal, the second time after the answer to the first was lost.`;
    const fix = "Store the externalId before the call, and repeat the call with it.";
    return [lint("no-key", same, { message, fix })];
  });
  return [...(missing ?? []), ...again];
}

function withoutExternalId(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const { externalId: _, order, ...rest } = body;
  return order === undefined ? rest : { ...rest, order: withoutExternalId(order) };
}

/** A key that was used, with another body. */
function reusedKeys(calls: readonly LintedCall[]): Lint[] {
  const byKey = Map.groupBy(calls, ({ key }) => key);
  return Array.from(byKey, ([key, own]) => {
    const first = own.find(({ isCarriedOut }) => isCarriedOut);
    if (key === undefined || first === undefined) return [];
    const others = own
      .slice(own.indexOf(first) + 1)
      .filter(({ path, body }) => path !== first.path || body !== first.body);
    if (others.length === 0) return [];
    const message = `The idempotency key ${key} of ${first.operation} was used again with another body.`;
    const fix = "Draw a key for each piece of work, and send the same bytes with it.";
    return [lint("key-reused", [first, ...others], { message, fix })];
  }).flat();
}

/**
 * Finds refusals that the same call will get again. A conflict (409) is not counted: a call is under way, and its
 * result is unknown.
 */
function repeatedRefusals(calls: readonly LintedCall[]): Lint[] {
  const refused = calls.filter(
    ({ status, isCarriedOut }) => isRefusal(status) && status !== 409 && !isCarriedOut,
  );
  const isUnchanged = (one: LintedCall, other: LintedCall): boolean =>
    one.path === other.path &&
    one.text === other.text &&
    one.key === other.key &&
    one.status === other.status &&
    one.authorization === other.authorization;
  return groups(refused, isUnchanged).flatMap((same) => {
    if (same.length <= REPEATS_MAX + 1) return [];
    const [{ operation, status }] = same;
    const message = `${operation} was answered with ${status} and sent again unchanged, ${same.length - 1} times.`;
    const fix = "A 4xx is an answer. Repeat only a call without an answer, or a call with 5xx or 429.";
    return [lint("repeated-refusal", same, { message, fix })];
  });
}

/**
 * Finds charges that the client made although the platform resends an equal one after a settlement error. Its payer would
 * pay twice.
 */
export function chargedAgain(all: readonly LintedCall[], records: Records): Lint[] {
  const calls = all.filter(({ operation }) => operation === "createScheduledPayment");
  if (calls.length === 0) return [];
  const payments = Array.from(records.all(scheduledPayments));
  const resent = payments.filter(
    (one) =>
      one.settlementErrorRetryRootId === null &&
      (isBeingResent(one) || payments.some((other) => other.settlementErrorRetryRootId === one.id)),
  );
  return resent.flatMap((first) => {
    const amount = formatMoney(first.amount);
    const again = calls.filter(
      ({ at, path, amount: asked, externalId }) =>
        at >= first.updatedAt &&
        path.includes(first.subscriptionId) &&
        asked === amount &&
        externalId !== first.externalId,
    );
    const [call, ...more] = again;
    if (call === undefined) return [];
    const message = `createScheduledPayment was sent for ${amount} under ${call.externalId ?? "another name"} after the settlement error of ${first.externalId}, which the platform resends on its own.`;
    const fix =
      "Wait for the outcome of the resends: SCHEDULED_PAYMENT.COMPLETED, or the error after the last one. Charge again only after that.";
    return [lint("charged-again", [call, ...more], { message, fix })];
  });
}

/** Groups similar calls that follow each other. */
function groups(
  calls: readonly LintedCall[],
  areAlike: (before: LintedCall, after: LintedCall) => boolean,
): [LintedCall, ...LintedCall[]][] {
  const found: [LintedCall, ...LintedCall[]][] = [];
  for (const call of calls) {
    const own = found.find(([first]) => areAlike(first, call));
    if (own === undefined) found.push([call]);
    else own.push(call);
  }
  return found;
}

function whatOf({ externalId, amount }: LintedCall): string {
  const amountText = amount === undefined ? "" : ` (${amount})`;
  return externalId === undefined ? amountText : ` for ${externalId}${amountText}`;
}

function lint(
  name: string,
  calls: readonly [LintedCall, ...LintedCall[]],
  { message, fix }: Pick<Lint, "message" | "fix">,
): Lint {
  const [{ operation }] = calls;
  return { lint: name, message, fix, operation, requests: calls.map(({ id }) => id) };
}
