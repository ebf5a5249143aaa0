import type { JournalEntry } from "../engine/journal.ts";

/** What was exercised in a world since its start, counted by name. */
export class Coverage {
  /** `subscription.accept: PENDING_AUTHORIZATION → ACCEPTED` */
  readonly transitions = new Map<string, number>();
  readonly events = new Map<string, number>();
  /** The effects of faults that took effect. */
  readonly faults = new Map<string, number>();
  readonly assumptions = new Map<string, number>();
  readonly errors = new Map<string, number>();

  entered({ timeline }: JournalEntry): void {
    for (const { kind, resource, action, from, to, event, effect } of timeline) {
      if (kind === "transition")
        count(this.transitions, `${String(resource)}.${String(action)}: ${String(from)} → ${String(to)}`);
      if (kind === "event") count(this.events, String(event));
      if (kind === "fault-applied") count(this.faults, String(effect));
    }
  }

  consulted(assumption: string): void {
    count(this.assumptions, assumption);
  }

  refused(code: string): void {
    count(this.errors, code);
  }
}

/** How a row of a lifecycle is called where rows are counted. */
export function transitionName(
  lifecycle: string,
  { action, from, to }: { readonly action: string; readonly from: string; readonly to: string },
): string {
  return `${lifecycle}.${action}: ${from} → ${to}`;
}

function count(counted: Map<string, number>, name: string): void {
  counted.set(name, (counted.get(name) ?? 0) + 1);
}
