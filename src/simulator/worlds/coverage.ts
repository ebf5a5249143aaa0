import type { JournalEntry } from "../engine/journal.ts";

/** The counts of each area, by name. */
export type CoverageCounts = Readonly<Record<(typeof AREAS)[number], Readonly<Record<string, number>>>>;

const AREAS = ["transitions", "events", "faults", "assumptions", "errors"] as const;

/** Counts the parts of the model that a world has exercised since its start, by name. */
export class Coverage {
  /** `subscription.accept: PENDING_AUTHORIZATION → ACCEPTED` */
  readonly transitions: Map<string, number>;
  readonly events: Map<string, number>;
  /** The effects of faults that took effect. */
  readonly faults: Map<string, number>;
  readonly assumptions: Map<string, number>;
  readonly errors: Map<string, number>;
  readonly #report: ((assumption: string) => void) | undefined;

  /** `report` is called with each assumption that is consulted. */
  constructor(counts?: CoverageCounts, report?: (assumption: string) => void) {
    this.#report = report;
    const saved = (area: keyof CoverageCounts): Map<string, number> =>
      new Map(Object.entries(counts?.[area] ?? {}));
    this.transitions = saved("transitions");
    this.events = saved("events");
    this.faults = saved("faults");
    this.assumptions = saved("assumptions");
    this.errors = saved("errors");
  }

  clear(): void {
    for (const area of AREAS) this[area].clear();
  }

  counts(): CoverageCounts {
    const entries = AREAS.map((area) => [area, Object.fromEntries(this[area])]);
    return Object.fromEntries(entries) as CoverageCounts;
  }

  /** Counts the parts that an entry exercised. With -1, it takes them off again. */
  entered({ timeline }: JournalEntry, by: 1 | -1 = 1): void {
    for (const { kind, what, event, effect } of timeline) {
      if (kind === "transition") count(this.transitions, what, by);
      if (kind === "event") count(this.events, String(event), by);
      if (kind === "fault-applied") count(this.faults, String(effect), by);
    }
  }

  consulted(assumption: string): void {
    count(this.assumptions, assumption);
    this.#report?.(assumption);
  }

  refused(code: string): void {
    count(this.errors, code);
  }
}

function count(counted: Map<string, number>, name: string, by: 1 | -1 = 1): void {
  const sum = (counted.get(name) ?? 0) + by;
  if (sum === 0) counted.delete(name);
  else counted.set(name, sum);
}
