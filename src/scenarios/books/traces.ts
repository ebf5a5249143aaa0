import { EVERY } from "../../server/control/client.js";
import { CommandFailure } from "../../base/failures.ts";
import type { Lint } from "../../simulator/api/generated/shapes.ts";
import type { Books } from "./books.ts";
import type { History } from "./differing-entry.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { minorOf } from "./amounts.ts";
import type { StepClient } from "../step-client.ts";
import { type StateDifference, stateDifferences } from "../../partner/states/comparison.ts";

/** Sums that move if money came in or was paid out. The balance also moves if money is reserved. */
const BOOKED = ["received", "refunded", "paidOut", "fees"] as const;

/** Names of sums that rightly change if money is only reserved, or given back. */
const RESERVATION = /balance|available|saldo|dispon|reserv|held|hold|pending|open|expect/i;

/**
 * Finds events that move money but leave no trace in the partner's state, and events that move no money but change a
 * sum there. Events of one command are about the same money, so one trace is enough.
 */
export function traceLints(
  traces: readonly {
    /** The positions of its events in the order of their announcement, from 1. Null for an event of another run. */
    readonly events: readonly (number | null)[];
    /** The changes of its state. `baseline` is the value before. */
    readonly changes: readonly StateDifference[];
  }[],
  announced: readonly { readonly index: number; readonly event: string; readonly entry: number }[],
  { movements, announcements }: History,
): Lint[] {
  const byEntry = Map.groupBy(announced, ({ entry }) => entry);
  return Array.from(byEntry, ([entry, events]): Lint[] => {
    const own = movements.filter((movement) => movement.entry === entry);
    const isBooked = own.some(({ changes }) => BOOKED.some((total) => Object.hasOwn(changes, total)));
    const indices = new Set<number | null>(events.map(({ index }) => index));
    const seen = traces.filter((trace) => trace.events.some((index) => indices.has(index)));
    if (seen.length === 0) return [];
    const changes = seen.flatMap((trace) => trace.changes);
    const names = events.map(({ index, event }) => `${event} (event ${index})`).join(" and ");
    const found = (name: string, message: string, fix: string): Lint[] => [
      { lint: name, message: `${names} ${message}`, fix, operation: null, requests: [] },
    ];
    if (isBooked) {
      if (changes.length > 0) return [];
      const moved = own.flatMap((movement) =>
        BOOKED.flatMap((total) => {
          const text = movement.changes[total];
          const { currency, externalId, objectId } = movement;
          return text === undefined ? [] : [`${text} ${currency} of ${externalId ?? objectId}`];
        }),
      );
      return found(
        "event-without-trace",
        `moved ${moved.join(" and ")} at entry ${entry}, but the state of your system did not change.`,
        "Check if your system takes it for a copy of another event, or does not know its object.",
      );
    }
    // A refund's event is about its order. The movement shows the amount of the refund.
    const amounts = [
      ...announcements.flatMap((one) => (one.entry === entry && !one.told ? [one.amount] : [])),
      ...own.flatMap((movement) => Object.values(movement.changes)),
    ];
    const changed = changes.find((change) => isSum(change, { amounts, isReserved: own.length > 0 }));
    if (changed === undefined) return [];
    const [before, after] = [changed.baseline ?? "nothing", changed.found].map(String);
    return found(
      "trace-without-money",
      `moved no money at entry ${entry}, but ${changed.path} changed from ${before} to ${after}.`,
      "Book money only if it moved: check the type and the status of the event, not only its object.",
    );
  }).flat();
}

/**
 * Returns true if a change is the change of a sum by the amount of the object. `isReserved` is true if the event gave
 * back the reserved money.
 */
function isSum(
  { path, baseline, found }: StateDifference,
  { amounts, isReserved }: { readonly amounts: readonly (string | null)[]; readonly isReserved: boolean },
): boolean {
  // A sum by currency is not there before its first amount.
  const isFirst = baseline === undefined && /(?:\.|\[")[A-Z]{3}(?:"\])?$/.test(path);
  const [before, after] = [isFirst ? 0 : numberOf(baseline), numberOf(found)];
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

/** The maximum number of readings in a run. Later webhooks are not watched. */
const LOOKS_MAX = 500;

/** The readings of a partner's state before and after each webhook, and the books that are then compared. */
export interface TracesReading {
  readonly read: () => Promise<unknown>;
  /** Reads the state once it has changed. */
  readonly changed: (before: unknown) => Promise<unknown>;
  readonly books: Books | undefined;
}

/** Reads the state of the partner's system after each webhook of one run, and notes when its books agree. */
export class Traces {
  readonly #client: StepClient;
  readonly #reading: TracesReading;
  readonly #seen: {
    readonly bodies: readonly string[];
    readonly before: unknown;
    readonly after: unknown;
  }[] = [];

  constructor(client: StepClient, reading: TracesReading) {
    this.#client = client;
    this.#reading = reading;
  }

  /**
   * Reads the state before webhooks are sent, because the steps in between change it too. The returned function reads
   * it again after their answers.
   */
  async look(): Promise<(bodies: readonly string[]) => Promise<void>> {
    if (this.#seen.length >= LOOKS_MAX) return async () => undefined;
    const { read, changed, books } = this.#reading;
    const before = await readable(read());
    return async (bodies) => {
      const after = await readable(changed(before));
      this.#seen.push({ bodies, before, after });
      await books?.check("webhook");
    };
  }

  async lints(): Promise<Lint[]> {
    const { movements = [], announcements = [] } = await this.#client.ask("GET /sandbox/books", {
      history: "true",
    });
    const { data: deliveries } = await this.#client.ask("GET /sandbox/deliveries", { last: EVERY });
    const entries = announcements.filter(({ told }) => !told);
    const originals = deliveries.filter(({ duplicateOf }) => duplicateOf === null);
    if (entries.length !== originals.length) return [];
    const announced = entries.map(({ entry, event }, index) => ({ index: index + 1, event, entry }));
    const indexes = new Map(originals.map(({ body }, index) => [body, index + 1]));
    const traces = this.#seen.flatMap(({ bodies, before, after }) => {
      if (!isRecord(before) && !Array.isArray(before)) return [];
      return [
        {
          events: bodies.map((body) => indexes.get(body) ?? null),
          changes: stateDifferences({ value: before, named: NONE }, { value: after, named: NONE }),
        },
      ];
    });
    return traceLints(traces, announced, { movements, announcements });
  }
}

/** Reads a state. Undefined if it is unreadable, because its object may not exist yet. */
function readable(state: Promise<unknown>): Promise<unknown> {
  return state.catch((error: unknown) => {
    if (!(error instanceof CommandFailure)) throw error;
  });
}

const NONE: ReadonlySet<string> = new Set();
