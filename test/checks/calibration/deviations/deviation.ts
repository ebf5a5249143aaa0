import type { HarEntry } from "../../../../src/traffic/har.ts";
import { isRecord } from "../../../../src/simulator/engine/json.ts";
import { operations } from "../../../../src/simulator/api/operations.ts";

/** What a platform does otherwise in a session, as its traffic shows it. */
export type Change = (entries: readonly HarEntry[]) => readonly HarEntry[];

/** A platform that does not keep one fixed assumption. */
export interface Deviation {
  /** The sandbox keeps the assumption in it. */
  readonly story: string;
  readonly change: Change;
  /** A part of what is reported as observed. */
  readonly observed: string;
  /** That the sandbox keeps it cannot be seen where it is about something that never comes. */
  readonly isUnseen?: true;
}

export type Deviations = Readonly<Record<string, Deviation | readonly Deviation[]>>;

type Edit = (text: string, entry: HarEntry) => string;

const patterns = Object.values(operations).map(({ operationId, method, path }) => ({
  operationId,
  method,
  pattern: new RegExp(`${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
}));

function operationOf({ _direction, request: { method, url } }: HarEntry): string | undefined {
  if (_direction === "webhook") return undefined;
  const { pathname } = new URL(url);
  return patterns.find((one) => one.method === method && one.pattern.test(pathname))?.operationId;
}

function isRefusal({ response: { status } }: HarEntry): boolean {
  return status >= 400;
}

function textOf({ response }: HarEntry): string {
  return response.content.text ?? "";
}

function withAnswer(entry: HarEntry, status: number, text: string): HarEntry {
  const { response } = entry;
  return { ...entry, response: { ...response, status, content: { ...response.content, text } } };
}

/** Only the answers to an operation, from the nth on where that is said. */
function answersTo(operation: string, answer: (entry: HarEntry) => HarEntry, from = 0): Change {
  return (entries) => {
    let seen = 0;
    return entries.map((entry) =>
      operationOf(entry) === operation && seen++ >= from ? answer(entry) : entry,
    );
  };
}

/** The platform writes something else into its answers to an operation, from the nth on where that is said. */
export function answers(operation: string, edit: Edit, from = 0): Change {
  return answersTo(
    operation,
    (entry) => withAnswer(entry, entry.response.status, edit(textOf(entry), entry)),
    from,
  );
}

/** The platform answers an operation with another status. */
export function answersWith(operation: string, status: number, text?: string): Change {
  return answersTo(operation, (entry) => withAnswer(entry, status, text ?? textOf(entry)));
}

/** The platform leaves a header out of its answers, or gives it another value. */
export function answersWithHeader(name: string, value: string | null): Change {
  return (entries) =>
    entries.map((entry) => {
      const headers = entry.response.headers.flatMap((header) =>
        header.name.toLowerCase() !== name ? [header] : value === null ? [] : [{ name, value }],
      );
      return entry._direction === "webhook" ? entry : { ...entry, response: { ...entry.response, headers } };
    });
}

/** The platform refuses otherwise what the sandbox refuses. */
export function refuses(operation: string, edit: Edit, status?: number): Change {
  return answersTo(operation, (entry) =>
    isRefusal(entry) ? withAnswer(entry, status ?? entry.response.status, edit(textOf(entry), entry)) : entry,
  );
}

const ANOTHER_ID = "99999999-9999-4999-8999-99999999999";

/** The platform accepts what the sandbox refuses, and answers as to the request that was right. */
export function accepts(operation: string): Change {
  return (entries) => {
    const right = entries.find((entry) => operationOf(entry) === operation && !isRefusal(entry));
    if (right === undefined) throw new Error(`The story has no ${operation} that is accepted.`);
    let count = 0;
    const fresh = (): string =>
      textOf(right).replace(/("(?:id|claimId)":")[^"]*/, `$1${ANOTHER_ID}${count++}`);
    return answersTo(operation, (entry) =>
      isRefusal(entry) ? withAnswer(entry, right.response.status, fresh()) : entry,
    )(entries);
  };
}

/** The platform refuses a field that the sandbox takes, from the nth request on where that is said. */
export function rejects(
  operation: string,
  field: string,
  from = 0,
  description = `${field} is not valid`,
): Change {
  const detail = { field, issue: "INVALID", description };
  const common = { error: "INVALID_REQUEST", message: "Invalid request.", details: [detail] };
  const body = operation === "refundOrder" ? [detail.description] : common;
  return answersTo(operation, (entry) => withAnswer(entry, 400, JSON.stringify(body)), from);
}

function isEvent(entry: HarEntry, event: string): boolean {
  if (entry._direction !== "webhook") return false;
  const body: unknown = JSON.parse(sentText(entry));
  return isRecord(body) && body["event"] === event;
}

function sentText({ request }: HarEntry): string {
  return request.postData?.text ?? "";
}

function withText(entry: HarEntry, text: string): HarEntry {
  const postData = { mimeType: "application/json", text };
  return { ...entry, request: { ...entry.request, postData } };
}

/** The platform writes something else into an event. */
export function sends(event: string, edit: Edit): Change {
  return (entries) =>
    entries.map((entry) => (isEvent(entry, event) ? withText(entry, edit(sentText(entry), entry)) : entry));
}

/** The platform sends an event to another URL. */
export function sendsTo(url: string, event: string): Change {
  return (entries) =>
    entries.map((entry) =>
      isEvent(entry, event) ? { ...entry, request: { ...entry.request, url } } : entry,
    );
}

/** The platform sends two events, each of which is sent once, in the other order. */
export function swaps(one: string, other: string): Change {
  return (entries) => {
    const [first, second] = [one, other].map((event) => entries.findIndex((entry) => isEvent(entry, event)));
    const [before, after] = [entries[first ?? -1], entries[second ?? -1]];
    if (before === undefined || after === undefined) throw new Error(`The story has no ${one} and ${other}.`);
    return entries.map((entry) =>
      entry === before
        ? { ...after, startedDateTime: before.startedDateTime }
        : entry === after
          ? { ...before, startedDateTime: after.startedDateTime }
          : entry,
    );
  };
}

/** Several changes, one after the other. */
export function together(...changes: readonly Change[]): Change {
  return (entries) => changes.reduce((changed, change) => change(changed), entries);
}

// Stories that many platforms are seen in.

export const ACCOUNT = "11111111-1111-4111-8111-111111111111";
export const INACTIVE = "11111111-1111-4111-8111-111111111112";

/** A step that expects a refusal. */
export function expecting(status: number): string {
  return `\n  expect: { status: ${status} }`;
}

/** Only what is accepted is saved, under the id that it has in the story. */
function saved(id: string, expected: string): string {
  return `${expected.includes("expect:") ? "" : `\n  save: ${id}`}${expected}`;
}

/** A subscription whose external id is also the name that its answer is saved under. */
export const subscription = (id = "sub", more = "", expected = "", use = "monthly"): string => `
- call: createSubscription
  body: { $use: subscription.${use}, externalId: ${id}${more} }${saved(id, expected)}`;

export const ACCEPTED = `${subscription()}
- act: subscription.accept
  on: \${sub.id}`;

export const CANCELED = `
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: PT1M`;

export const charge = (more = "", expected = "", id = "charge"): string => `
- call: createScheduledPayment
  path: { id: "\${sub.id}" }
  body: { $use: charge.first, externalId: ${id}${more} }${saved(id, expected)}`;

export const payout = (more = "", expected = "", use = "pix"): string => `
- call: createPayout
  body: { $use: payout.${use}${more} }${expected}`;

/** An order of one of the fixtures, with other fields in its `order` and next to that. */
export const order = (use: string, fields = "", more = "", expected = "", id = "order"): string => `
- call: createTransparentOrder
  body: { $use: order.${use}, order: { $use: order.${use}.order${fields} }${more} }${saved(id, expected)}`;

export const PAY = `
- act: order.pay
  on: \${order.id}`;

export const PAY_A_PART = `${PAY}\n  with: { amount: "10.00" }`;

export const refund = (more = "", expected = "", of = "order"): string => `
- call: refundOrder
  body: { $use: refund.whole, orderId: "\${${of}.id}", amount: "1.00"${more} }${expected}`;

/** A company, an order and a subscription that each have a URL of their own. */
export const ADDRESSED = `webhookUrl: null
steps:
- act: webhook.set-url
  with: { url: http://receiver.example/company }
- call: getWebhook${ACCEPTED}${order("pix", ", notificationUrl: http://receiver.example/shop")}${PAY}${payout()}
- advance: PT1M`;

export const claim = (more = "", expected = "", use = "email"): string => `
- call: createClaim
  path: { accountId: ${ACCOUNT} }
  body: { $use: claim.${use}${more} }${saved("claim", expected)}`;

export const after = (time: string): string => `\n- advance: ${time}`;

export const LISTED = "\n- call: listAccounts";
