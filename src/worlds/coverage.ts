import type { JournalEntry } from "../engine/journal.ts";

/** What a world has gone through since its start, counted by name. */
export class Coverage {
  /** `subscription.accept: PENDING_AUTHORIZATION → ACCEPTED` */
  readonly transitions = new Map<string, number>();
  readonly events = new Map<string, number>();
  /** The effects of faults that took effect. */
  readonly faults = new Map<string, number>();
  readonly assumptions = new Map<string, number>();
  readonly errors = new Map<string, number>();

  entered({ happenings }: JournalEntry): void {
    for (const { detail } of happenings) {
      if (detail === undefined) continue;
      const { lifecycle, action, from, to, event, fault } = detail;
      if (lifecycle !== undefined)
        count(
          this.transitions,
          transitionName(lifecycle, { action: action ?? "", from: from ?? "", to: to ?? "" }),
        );
      if (event !== undefined) count(this.events, event);
      if (fault !== undefined) count(this.faults, fault);
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
