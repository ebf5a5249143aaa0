import type { BooksFinding } from "./finding.ts";
import type { AccountBooks, Announcement, Movement } from "../../simulator/api/generated/shapes.ts";
import { minorOf } from "./amounts.ts";

/** The sums that a partner's books may have, in the order of reports. */
export const TOTALS = ["received", "refunded", "paidOut", "fees", "balance"] as const;
export type Total = (typeof TOTALS)[number];

/** The movements of the ledger, and the announcements. */
export type History = Required<Pick<AccountBooks, "movements" | "announcements">>;

/** The known facts about a difference. */
export interface KnownFacts {
  /** The compared total. Undefined for rows. */
  readonly total?: Total;
  readonly currency?: string;
  /** The surplus of the partner over the ledger, in minor units. */
  readonly off?: number;
  /** The objects whose rows differ. */
  readonly objects?: readonly string[];
  /** The last possible entry; default: the last entry of all. */
  readonly until?: number;
}

/**
 * Picks the journal entry of the difference, after the entry of the last agreement. The order:
 * 1. An entry that moved the sum, if its row differs, or if it explains the difference.
 * 2. The last announcement of an object whose row differs, if that object did not move the sum.
 * 3. If no entry moved the sum: the first of several entries that together moved another sum by the difference.
 * 4. The last announcement of the amount of the difference, if its object did not move the sum.
 * 5. The first entry that moved the sum, or that moved another sum by the difference.
 * 6. The first announcement of an object that did not move the sum.
 *
 * Null without such an entry.
 */
export function differingEntryOf(
  { total, off = 0, currency = "BRL", objects = [], until = Infinity }: KnownFacts,
  { movements: allMoved = [], announcements: allTold = [] }: Partial<History>,
  after: number,
): BooksFinding["entry"] {
  // A row without an object belongs to no entry.
  if (total === undefined && objects.length === 0) return null;
  const movements = allMoved.filter(({ entry }) => (entry ?? 0) <= until);
  const announcements = allTold.filter(({ entry }) => entry <= until);
  const history = { movements, announcements };
  const since = movements.filter(({ entry }) => (entry ?? 0) > after);
  const moved = since.filter(({ changes }) => total === undefined || Object.hasOwn(changes, total));
  const others = moved.length > 0 ? [] : since.filter((one) => one.currency === currency);
  const told = announcements.filter(
    (one) =>
      one.entry > after &&
      moved.every(({ objectId }) => objectId !== one.objectId) &&
      movedWith(one, history).every((movement) => !moved.includes(movement)),
  );
  const isNamed = ({ objectId }: { readonly objectId: string }): boolean => objects.includes(objectId);
  const isOff = (amount: number): boolean => Math.abs(amount) === Math.abs(off);
  const explains = (movement: Movement): boolean => {
    const amount = total === undefined ? 0 : minorOf(movement.changes[total] ?? "0", currency);
    return off !== 0 && movement.currency === currency && [1, -1, -2].some((times) => off === times * amount);
  };
  // A row is made when the event about its object comes, and not when its money is reserved.
  const tellsOfRow = (one: Movement): boolean => total === undefined && isNamed(one) && one.events.length > 0;
  const movement =
    moved.findLast(tellsOfRow) ??
    moved.find((one) => isNamed(one) && explains(one)) ??
    moved.find(isNamed) ??
    moved.find((one) => explains(one) && one.events.length > 0) ??
    moved.find(explains);
  if (movement !== undefined) return entryOf(movement, total);
  const named = told.findLast(isNamed);
  if (named !== undefined) return lastOf(named, history, total);
  const groups = TOTALS.map((name) => others.filter(({ changes }) => Object.hasOwn(changes, name)));
  const together = groups.find((group, index) => {
    const amounts = group.map(({ changes }) => minorOf(changes[TOTALS[index] ?? "balance"] ?? "0", currency));
    return amounts.length > 1 && isOff(amounts.reduce((sum, amount) => sum + amount, 0));
  });
  if (together?.[0] !== undefined) return entryWithout(together[0]);
  const silent = told.findLast((one) =>
    [one.amount, ...movedWith(one, history).flatMap(({ changes }) => Object.values(changes))].some(
      (amount) => amount !== null && isOff(minorOf(amount, currency)),
    ),
  );
  if (silent !== undefined) return lastOf(silent, history, total);
  if (moved[0] !== undefined) return entryOf(moved[0], total);
  // As a payout that a partner books when it is reserved: the balance moved, and the sum not yet.
  const ofOtherSum = others.find(({ changes }) =>
    Object.values(changes).some((text) => isOff(minorOf(text, currency))),
  );
  if (ofOtherSum !== undefined) return entryWithout(ofOtherSum);
  return told[0] === undefined ? null : lastOf(told[0], history, total);
}

/** Returns an entry that moved only another sum. */
function entryWithout({ entry, at, what, events }: Movement): BooksFinding["entry"] {
  if (entry === null) return null;
  return { number: entry, at, sentence: `${what}, which moves nothing of this sum, ${toldBy(events)}.` };
}

function toldBy(events: readonly string[]): string {
  return events.length === 0 ? "without an event" : `announced by ${events.join(" and ")}`;
}

function eventOf({ event, objectId }: Announcement): string {
  return `${event} ${objectId}`;
}

/**
 * Returns the movements at the announcement of an event. The event of a refund is about its order, so the money of the
 * refund counts.
 */
function movedWith(one: Announcement, { movements, announcements }: History): Movement[] {
  const same = announcements.filter((other) => !other.told && eventOf(other) === eventOf(one));
  return movements.filter(({ entry }) => same.some((other) => other.entry === entry));
}

/** Returns the last entry of an object, which did not move the sum unless its event was delivered. */
function lastOf(told: Announcement, history: History, total: Total | undefined): BooksFinding["entry"] {
  const { movements, announcements } = history;
  const isIts = ({ objectId }: { readonly objectId: string }): boolean => objectId === told.objectId;
  const moved = [...movements.filter(isIts), ...movedWith(told, history)].findLast(
    ({ changes }) => total === undefined || Object.hasOwn(changes, total),
  );
  const last = announcements.findLast((one) => isIts(one) && !one.told) ?? told;
  if (moved !== undefined && (moved.entry ?? 0) >= last.entry) {
    const entry = entryOf(moved, total);
    const same = announcements.filter((one) => eventOf(one) === eventOf(told));
    const isAgain = same.filter((one) => one.told).length * 2 > same.length;
    const again = isAgain ? ` ${told.event} was delivered again since.` : "";
    return entry && { ...entry, sentence: entry.sentence + again };
  }
  const what = last.what === "" ? "" : `${last.what}, `;
  return {
    number: last.entry,
    at: last.at,
    sentence: `${what}which moves nothing of this sum, announced by ${last.event}.`,
  };
}

function entryOf(
  { entry, at, what, changes, currency, account, events }: Movement,
  total: Total | undefined,
): BooksFinding["entry"] {
  if (entry === null) return null;
  const [first = "balance"] = total === undefined ? Object.keys(changes) : [total];
  const text = changes[first] ?? "0";
  const isIn = first === "received" || (first === "balance" && !text.startsWith("-"));
  const way = first === "paidOut" && text.startsWith("-") ? "back to" : isIn ? "to" : "from";
  const where = account === null ? "" : ` ${way} account ${account}`;
  const amount = text.replace("-", "") + (currency === "BRL" ? "" : ` ${currency}`);
  return { number: entry, at, sentence: `${what}, ${amount}${where}, ${toldBy(events)}.` };
}
