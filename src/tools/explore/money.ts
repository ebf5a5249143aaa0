import type { BookedObject, Lint } from "../../api/generated/shapes.ts";
import type { Baseline } from "./baseline.ts";
import type { BooksFinding } from "../books/finding.ts";
import type { Divergence, Exploration } from "./exploration.ts";
import { isRecord } from "../../engine/json.ts";
import { minorOf } from "../books/amounts.ts";
import type { Observation } from "./causes.ts";

/** Sums that move where money came in or went out; the balance also moves where money is reserved. */
const BOOKED = ["received", "refunded", "paidOut", "fees"] as const;

/** Names of sums that rightly change where money is only reserved, or given back. */
const RESERVATION = /balance|available|saldo|dispon|reserv|held|hold|pending|open|expect/i;

/** Where the books part in the baseline already, in which nothing goes wrong: a divergence without deviations. */
export function booksDivergence(
  { played, state }: Baseline,
  { scenario, receiver }: Exploration,
): Divergence[] {
  const { books } = played;
  if (books.length === 0) return [];
  const where = typeof receiver === "string" ? ` --receiver ${receiver}` : "";
  return [
    {
      deviations: [],
      differences: books.map(({ path, ledger, yours }) => ({ path, baseline: ledger, found: yours })),
      arrivals: [],
      cause: causeOf(books),
      replay: `sandbank run ${scenario.file}${where}`,
      title: "Your books and the ledger part although nothing goes wrong",
      alike: [],
      books,
      state: state.value,
    },
  ];
}

/** What parted at which entry, as a sentence. */
export function causeOf([first]: readonly BooksFinding[]): string {
  if (first === undefined || first.entry === null)
    return "Compare what each event books with the ledger: GET /sandbox/books?history=true.";
  return `Your system books something else than the ledger at entry ${first.entry.number}.`;
}

/**
 * Events that move money and leave no trace in the partner's state, and events that move none and change a sum of it.
 * Events that one command announced are about the same money: one of them with a trace is enough.
 */
export function traceLints(observed: readonly Observation[], baseline: Baseline): Lint[] {
  const { movements, announcements } = baseline.money;
  const known = Array.from(baseline.identified(baseline.played), ([{ announcedBy }, event]) => ({
    ...event,
    entry: announcedBy,
  }));
  const byEntry = Map.groupBy(known, ({ entry }) => entry);
  return Array.from(byEntry, ([entry, events]): Lint[] => {
    const own = movements.filter((movement) => movement.entry === entry);
    const isBooked = own.some(({ changes }) => BOOKED.some((total) => Object.hasOwn(changes, total)));
    const indices = new Set(events.map(({ index }) => index));
    const seen = observed.filter((one) => one.events.some((index) => index !== null && indices.has(index)));
    if (seen.length === 0) return [];
    const names = events.map(({ index, event }) => `${event} (event ${index})`).join(" and ");
    if (isBooked && seen.every(({ hasEffect }) => !hasEffect)) {
      const moved = own.flatMap(({ changes, currency, objectId, externalId }) =>
        BOOKED.flatMap((total) => {
          const text = changes[total];
          return text === undefined ? [] : [`${text} ${currency} of ${externalId ?? objectId}`];
        }),
      );
      return [
        {
          lint: "event-without-trace",
          message: `${names} moved ${moved.join(" and ")} at entry ${entry}, and nothing changed in the state of your system.`,
          fix: "See whether your system takes it for a copy of another event, or does not know its object.",
          operation: null,
          requests: [],
        },
      ];
    }
    if (isBooked) return [];
    // A refund's event is about its order; what was given back shows its own amount.
    const amounts = [
      ...announcements.flatMap((one) => (one.entry === entry && !one.told ? [one.amount] : [])),
      ...own.flatMap(({ changes }) => Object.values(changes)),
    ];
    const changed = seen
      .flatMap(({ changes }) => changes)
      .find((change) => isSum(change, { amounts, isReserved: own.length > 0 }));
    if (changed === undefined) return [];
    return [
      {
        lint: "trace-without-money",
        message: `${names} moved no money at entry ${entry}, and ${changed.path} changed from ${String(changed.baseline)} to ${String(changed.found)}.`,
        fix: "Book money only where it moved: look at the type and the status of the event, not at its object alone.",
        operation: null,
        requests: [],
      },
    ];
  }).flat();
}

/** How a partner may call what happened to money, and what did not. */
const HERE = {
  done: /^(?:paid|settled|completed|done|success|succeeded|pago|liquidado)$/i,
  undone: /^(?:canceled|cancelled|failed|error|rejected|expired|cancelado|recusado)$/i,
};
const THERE = {
  done: new Set(["PAID", "COMPLETED"]),
  undone: new Set(["CANCELED", "ERROR", "REJECTED", "EXPIRED", "CANCELED_INSUFFICIENT_BALANCE"]),
};

/**
 * Where the state at the end of the baseline seems to contradict the platform: an object that is CANCELED there and
 * `paid` here. A hint, since no two systems have to use one word alike.
 */
export function contradictions(state: unknown, objects: readonly BookedObject[]): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, "");
    if (!isRecord(value)) return;
    const texts = [key, ...Object.values(value)].filter((one): one is string => typeof one === "string");
    for (const { collection, id, externalId, status } of objects) {
      if (!texts.includes(id) && (externalId === null || !texts.includes(externalId))) continue;
      const opposite = THERE.undone.has(status)
        ? HERE.done
        : THERE.done.has(status)
          ? HERE.undone
          : undefined;
      const word = opposite && texts.slice(1).find((text) => opposite.test(text));
      if (word !== undefined)
        found.add(
          `A hint: ${externalId ?? id} of ${collection} is ${status} on the platform and "${word}" in your system, although nothing went wrong. See docs/books.md.`,
        );
    }
    for (const [name, item] of Object.entries(value)) walk(item, name);
  };
  walk(state, "");
  return [...found].slice(0, HINTS_MAX);
}

/** More hints do not help anyone. */
const HINTS_MAX = 5;

interface Booking {
  readonly amounts: readonly (string | null)[];
  /** Whether the event gave back what was reserved. */
  readonly isReserved: boolean;
}

/** Whether a change is one of a sum, by the amount of the object. */
function isSum(
  { path, baseline, found }: Observation["changes"][number],
  { amounts, isReserved }: Booking,
): boolean {
  const [before, after] = [numberOf(baseline), numberOf(found)];
  if (before === undefined || after === undefined) return false;
  if (RESERVATION.test(path.slice(path.lastIndexOf(".") + 1)) || (isReserved && RESERVATION.test(path)))
    return false;
  const off = Math.abs(after - before);
  return amounts.some((amount) => {
    const minor = amount === null ? 0 : Math.abs(minorOf(amount, "BRL"));
    return minor > 0 && (Math.abs(off - minor / 100) < 1e-6 || Math.abs(off - minor) < 1e-6);
  });
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}
