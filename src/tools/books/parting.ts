import type { AccountBooks, Announcement, Movement } from "../../api/generated/shapes.ts";
import { minorOf } from "./amounts.ts";

/** The sums that a partner's books may have, in the order of reports. */
export const TOTALS = ["received", "refunded", "paidOut", "fees", "balance"] as const;
export type Total = (typeof TOTALS)[number];

/** What moved the ledger, and what was announced. */
export type History = Required<Pick<AccountBooks, "movements" | "announcements">>;

/** What is known of a difference. */
export interface Parted {
  /** Undefined for rows. */
  readonly total?: Total;
  readonly currency?: string;
  /** How much more the partner has than the ledger, in minor units. */
  readonly off?: number;
  /** The objects whose rows differ. */
  readonly objects?: readonly string[];
}

/** A journal entry, with what happened there. */
export interface Parting {
  readonly number: number;
  readonly at: string;
  readonly sentence: string;
}

/**
 * The entry at which they parted, after the entry up to which they agreed: of those that moved the sum, one whose row
 * differs, or that explains the difference; where none did, the first of those that moved another sum by the difference
 * together; otherwise the last entry of an object that was told about and did not move it, where that explains it;
 * otherwise the first that moved it, or that moved another sum by the difference. Null where nothing of these happened.
 */
export function partingOf(
  { total, off = 0, currency = "BRL", objects = [] }: Parted,
  { movements = [], announcements = [] }: Pick<AccountBooks, "movements" | "announcements">,
  after: number,
): Parting | null {
  // A row that has no object is of no entry.
  if (total === undefined && objects.length === 0) return null;
  const since = movements.filter(({ entry }) => (entry ?? 0) > after);
  const moved = since.filter(({ changes }) => total === undefined || Object.hasOwn(changes, total));
  const others = moved.length > 0 ? [] : since.filter((one) => one.currency === currency);
  // The event of a refund is about its order, and announces what moved the sum all the same.
  const eventOf = ({ event, objectId }: Announcement): string => `${event} ${objectId}`;
  const announced = new Set(
    announcements.filter(({ entry }) => moved.some((one) => one.entry === entry)).map(eventOf),
  );
  const told = announcements.filter(
    (one) =>
      one.entry > after &&
      !announced.has(eventOf(one)) &&
      moved.every(({ objectId }) => objectId !== one.objectId),
  );
  const isNamed = ({ objectId }: { readonly objectId: string }): boolean => objects.includes(objectId);
  const isOff = (amount: number): boolean => Math.abs(amount) === Math.abs(off);
  const explains = (movement: Movement): boolean => {
    const amount = total === undefined ? 0 : minorOf(movement.changes[total] ?? "0", currency);
    return off !== 0 && movement.currency === currency && [1, -1, -2].some((times) => off === times * amount);
  };
  // A row is made by what told of its object, and not by what reserved its money.
  const tellsOfRow = (one: Movement): boolean => total === undefined && isNamed(one) && one.events.length > 0;
  const movement =
    moved.findLast(tellsOfRow) ??
    moved.find((one) => isNamed(one) && explains(one)) ??
    moved.find(isNamed) ??
    moved.find(explains);
  if (movement !== undefined) return entryOf(movement, total);
  const named = told.findLast(isNamed);
  if (named !== undefined) return lastOf(named, { movements, announcements }, total);
  const groups = TOTALS.map((name) => others.filter(({ changes }) => Object.hasOwn(changes, name)));
  const together = groups.find((group, index) => {
    const amounts = group.map(({ changes }) => minorOf(changes[TOTALS[index] ?? "balance"] ?? "0", currency));
    return amounts.length > 1 && isOff(amounts.reduce((sum, amount) => sum + amount, 0));
  });
  if (together?.[0] !== undefined) return entryWithout(together[0]);
  const silent = told.findLast(({ amount }) => amount !== null && isOff(minorOf(amount, currency)));
  if (silent !== undefined) return lastOf(silent, { movements, announcements }, total);
  if (moved[0] !== undefined) return entryOf(moved[0], total);
  // As a payout that a partner books when it is reserved: the balance moved, and the sum not yet.
  const ofOtherSum = others.find(({ changes }) =>
    Object.values(changes).some((text) => isOff(minorOf(text, currency))),
  );
  if (ofOtherSum !== undefined) return entryWithout(ofOtherSum);
  return told[0] === undefined ? null : lastOf(told[0], { movements, announcements }, total);
}

/** An entry that moved another sum only. */
function entryWithout({ entry, at, what, events }: Movement): Parting | null {
  if (entry === null) return null;
  return { number: entry, at, sentence: `${what}, which moves nothing of this sum, ${toldBy(events)}.` };
}

function toldBy(events: readonly string[]): string {
  return events.length === 0 ? "no event told it" : `told by ${events.join(" and ")}`;
}

/** The last entry of an object that did not move the sum. */
function lastOf(
  told: Announcement,
  { movements, announcements }: History,
  total: Total | undefined,
): Parting | null {
  const isIts = ({ objectId }: { readonly objectId: string }): boolean => objectId === told.objectId;
  const moved = movements.findLast(
    (one) => isIts(one) && (total === undefined || Object.hasOwn(one.changes, total)),
  );
  const last = announcements.findLast((one) => isIts(one) && !one.told) ?? told;
  if (moved !== undefined && (moved.entry ?? 0) >= last.entry) {
    const parting = entryOf(moved, total);
    return (
      parting && { ...parting, sentence: `${parting.sentence} ${told.event} was delivered again since.` }
    );
  }
  const what = last.what === "" ? "" : `${last.what}, `;
  return {
    number: last.entry,
    at: last.at,
    sentence: `${what}which moves nothing of this sum, told by ${last.event}.`,
  };
}

function entryOf(
  { entry, at, what, changes, account, events }: Movement,
  total: Total | undefined,
): Parting | null {
  if (entry === null) return null;
  const [first = "balance"] = total === undefined ? Object.keys(changes) : [total];
  const text = changes[first] ?? "0";
  const isIn = first === "received" || (first === "balance" && !text.startsWith("-"));
  const way = first === "paidOut" && text.startsWith("-") ? "back to" : isIn ? "to" : "from";
  const where = account === null ? "" : ` ${way} account ${account}`;
  return { number: entry, at, sentence: `${what}, ${text.replace("-", "")}${where}, ${toldBy(events)}.` };
}
