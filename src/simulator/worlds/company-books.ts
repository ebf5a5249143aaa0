import type { Records } from "../engine/store.ts";
import type { AccountBooks, Announcement, Movement } from "../api/generated/shapes.ts";
import { type Account, accounts } from "../platform/accounts/account.ts";
import {
  accountOfAvailable,
  availableOn,
  FEES,
  type LedgerEntry,
  ledgerEntries,
  OUTSIDE,
} from "../platform/ledger/ledger.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { add, formatMoney, type Money, negate } from "../engine/money.ts";
import { formatInstant } from "../engine/instant.ts";
import { type JournalEntry } from "../engine/journal.ts";
import { orders } from "../platform/orders/order.ts";
import { payouts } from "../platform/payouts/payout.ts";
import { refunds } from "../platform/refunds/refund.ts";
import { scheduledPayments } from "../platform/scheduled-payments/scheduled-payment.ts";
import type { Simulation } from "../engine/simulation.ts";
import { subscriptions } from "../platform/subscriptions/subscription.ts";

type Total = keyof AccountBooks["totals"];

/** The changes of an entry of the ledger, by total. */
type Changes = Partial<Record<Total, Money>>;

interface Known {
  readonly records: Records;
  readonly company: string;
  readonly accounts: ReadonlySet<string>;
}

/** The books that are shown. */
export interface BooksAsked {
  readonly company: string;
  /** One account of the company. All of them if undefined. */
  readonly account: string | undefined;
  readonly withHistory: boolean;
  /** Collections whose objects are listed. */
  readonly collections: readonly BookedCollection[];
}

/** Returns the accounts of a company. */
export function accountsOf(records: Records, company: string): Account[] {
  return Array.from(records.all(accounts)).filter((one) => one.companyId === company);
}

/** Returns the totals of a company by the ledger. `docs/books.md` defines each total. */
export function companyBooks(world: Simulation, asked: BooksAsked): AccountBooks {
  const { records, journal } = world;
  const { company, account } = asked;
  const own = accountsOf(records, company).map(({ id }) => id);
  const known: Known = { records, company, accounts: new Set(account === undefined ? own : [account]) };
  const sums = new Map<Total, Map<string, Money>>();
  const moved: (readonly [LedgerEntry, Changes])[] = [];
  for (const entry of records.all(ledgerEntries)) {
    const changes = changesOf(entry, known);
    moved.push([entry, changes]);
    for (const [total, amount] of Object.entries(changes) as [Total, Money][]) {
      const sum = sums.get(total) ?? new Map<string, Money>();
      const before = sum.get(amount.currency);
      sums.set(total, sum.set(amount.currency, before === undefined ? amount : add(before, amount)));
    }
  }
  const total = (name: Total): Record<string, string> =>
    Object.fromEntries(Array.from(sums.get(name) ?? [], ([currency, sum]) => [currency, formatMoney(sum)]));
  return {
    company,
    accounts: [...known.accounts],
    next: journal.nextNumber,
    waiting: Array.from(records.all(deliveries)).filter(
      ({ companyId, status }) => companyId === company && (status === "scheduled" || status === "retrying"),
    ).length,
    totals: {
      received: total("received"),
      refunded: total("refunded"),
      paidOut: total("paidOut"),
      fees: total("fees"),
      balance: total("balance"),
    },
    ...(asked.withHistory && historyOf(world, moved, company)),
    ...(asked.collections.length > 0 && {
      objects: asked.collections.flatMap((name) => objectsOf(name, known)),
    }),
  };
}

/**
 * Returns the changes that an entry of the ledger makes to the totals of the accounts. The children of a batch count
 * once the payout is final: before that no event reports it.
 */
function changesOf({ objectId, postings }: LedgerEntry, { records, accounts: own }: Known): Changes {
  const [from, to] = postings as [LedgerEntry["postings"][number], LedgerEntry["postings"][number]];
  const amount = to.amount;
  const isOwn = ({ account }: { account: string }): boolean => own.has(accountOfAvailable(account) ?? "");
  const balance = isOwn(from) === isOwn(to) ? {} : { balance: isOwn(to) ? amount : negate(amount) };
  if (to.account === FEES && from.account !== OUTSIDE) return isOwn(from) ? { ...balance, fees: amount } : {};
  const refund = records.get(refunds, objectId);
  if (refund !== undefined)
    return to.account === OUTSIDE && own.has(refund.accountId) ? { refunded: amount } : balance;
  const payout = records.get(payouts, objectId);
  if (payout !== undefined) {
    const isPaying = own.has(payout.accountId) && accountOfAvailable(from.account) === undefined;
    const home = availableOn(payout.accountId);
    if (isPaying && from.account === OUTSIDE) return { ...balance, paidOut: negate(amount) };
    if (isPaying && to.account !== home && payout.openCount === 0) return { ...balance, paidOut: amount };
    return balance;
  }
  // An amount that a dispute blocked and gave back was received before.
  const isPaid = from.account === OUTSIDE && records.get(orders, objectId) !== undefined;
  return isPaid && isOwn(to) ? { ...balance, received: amount } : balance;
}

/** Returns the movements of the totals and the announcements, with the entries of the journal. */
function historyOf(
  { journal, records }: Simulation,
  moved: readonly (readonly [LedgerEntry, Changes])[],
  company: string,
): Pick<AccountBooks, "movements" | "announcements"> {
  const written = new Map<string, JournalEntry>();
  const closed = new Map<string, JournalEntry>();
  const announcements: Announcement[] = [];
  for (const entry of journal.since(1)) {
    for (const { collection, id, before, after } of entry.changes) {
      if (collection === ledgerEntries.name) written.set(id, entry);
      const [was, is] = [before, after] as { openCount?: number }[];
      if (collection === payouts.name && is?.openCount === 0 && was?.openCount !== 0) closed.set(id, entry);
    }
    for (const line of entry.timeline)
      if (line.kind === "event" || line.kind === "attempt") {
        const [event, objectId] = [String(line["event"]), line.objectId ?? ""];
        const told = line.kind === "attempt";
        const collection = String(line["collection"]);
        if (bookedRecord(collection, objectId, records)?.companyId !== company) continue;
        const object = objectNamed(collection, objectId, records);
        announcements.push({ ...entryOf(entry), event, told, what: whatOf(entry), ...object });
      }
  }
  const movements = moved.flatMap(([{ id, objectId, memo, at, postings }, changes]): Movement[] => {
    if (Object.keys(changes).length === 0) return [];
    const first = written.get(id);
    const entry = changes.paidOut !== undefined ? (closed.get(objectId) ?? first) : first;
    const later = entry !== undefined && first !== undefined && entry.number > first.number ? entry : first;
    const of = [orders, refunds, payouts].find((one) => records.get(one as typeof orders, objectId));
    const { currency } = postings[0]!.amount;
    return [
      {
        ...(later === undefined ? { entry: null, at: formatInstant(at) } : entryOf(later)),
        currency,
        changes: Object.fromEntries(Object.entries(changes).map(([total, sum]) => [total, formatMoney(sum)])),
        account: accountIn(postings),
        what: (later && whatOf(later)) || memo,
        events: later?.timeline.flatMap(({ kind, event }) => (kind === "event" ? [String(event)] : [])) ?? [],
        ...objectNamed(of?.name ?? accounts.name, objectId, records),
      },
    ];
  });
  return { movements, announcements };
}

function entryOf(entry: JournalEntry): { entry: number; at: string } {
  return { entry: entry.number, at: formatInstant(entry.at) };
}

/** Returns the transitions of an entry. Empty if it has no transitions. */
function whatOf({ timeline }: JournalEntry): string {
  return timeline.flatMap(({ kind, what }) => (kind === "transition" ? [what] : [])).join(", ");
}

function accountIn(postings: LedgerEntry["postings"]): string | null {
  return postings.map(({ account }) => accountOfAvailable(account)).find((id) => id !== undefined) ?? null;
}

type Named = Pick<Movement, "collection" | "objectId" | "externalId" | "amount">;

/** Objects that move money, or say that it will. */
const BOOKED = { orders, refunds, payouts, "scheduled-payments": scheduledPayments, subscriptions } as const;

export type BookedCollection = keyof typeof BOOKED;

/** The names of the collections whose objects the books can list. */
export const bookedCollections = Object.keys(BOOKED) as readonly BookedCollection[];

interface Booked {
  readonly id: string;
  readonly companyId: string;
  readonly status: string;
  readonly externalId?: string;
  readonly amount?: Money | null;
  readonly subscriptionId?: string | null;
  readonly purpose?: string;
  readonly settlementErrorRetryRootId?: string | null;
}

function bookedRecord(collection: string, id: string, records: Records): Booked | undefined {
  const of = Object.hasOwn(BOOKED, collection) ? BOOKED[collection as keyof typeof BOOKED] : undefined;
  return of && records.get(of as typeof orders, id);
}

function objectNamed(collection: string, id: string, records: Records): Named {
  const { externalId = null, amount = null } = bookedRecord(collection, id, records) ?? {};
  return { collection, objectId: id, externalId, amount: amount && formatMoney(amount) };
}

/** Returns the objects of the company in a collection, in the order of their creation. */
function objectsOf(
  name: BookedCollection,
  { records, company }: Known,
): NonNullable<AccountBooks["objects"]> {
  const of = BOOKED[name] as typeof orders;
  const delivered = Array.from(records.all(deliveries)).filter(({ status }) => status === "delivered");
  const told = new Set(delivered.map(({ objectId }) => objectId));
  const own = Array.from(records.all(of) as Iterable<Booked>).filter((one) => one.companyId === company);
  return own.map(({ id, status, amount = null, ...rest }) => ({
    collection: name,
    id,
    externalId: rest.externalId ?? null,
    status,
    currency: amount?.currency ?? null,
    amount: amount && formatMoney(amount),
    isTold: told.has(id),
    // The platform makes the orders of subscriptions and the resends of charges.
    isOwn:
      name === "orders" ? rest.subscriptionId === null : rest.purpose !== "RESEND_DUE_TO_SETTLEMENT_ERROR",
    ...(rest.settlementErrorRetryRootId && { resendOf: rest.settlementErrorRetryRootId }),
  }));
}
