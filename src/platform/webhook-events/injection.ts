import type { AppliedFault } from "../faults/fault.ts";
import type { AttemptTrigger, Delivery } from "./delivery.ts";
import type { EffectName } from "../faults/effects.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { appliedOf, applyFaults } from "../faults/selection.ts";
import { companyOf } from "../companies/company.ts";
import { faults } from "../faults/fault.ts";
import { isAbout } from "./announcement.ts";
import { assertDefined } from "../../engine/assertion.ts";

/** What faults make of one attempt. */
export interface Injection {
  /** Every fault that touches it, to be recorded on it. */
  readonly faults: readonly AppliedFault[];
  /** Why it fails without ever leaving; null where it leaves. */
  readonly unsent: "timeout" | "refused" | null;
  /** When it is tried again, where that is not up to the timetable. */
  readonly retryAt: Instant | null;
  /** The key that signs, where it is not the company's. */
  readonly secret: string | null;
}

export interface AttemptAtHand {
  readonly delivery: Delivery;
  readonly number: number;
  readonly trigger: AttemptTrigger;
}

/** These leave a mark on the first attempt alone, whatever they did before it or will do after it. */
const FIRST_ATTEMPT: ReadonlySet<EffectName> = new Set<EffectName>([
  "delay",
  "reorder",
  "interleave-retry",
  "rotate-mid-retry",
  "duplicate-concurrent",
  "event-before-commit",
]);

/** Decides what faults make of an attempt as it is opened. */
export function injectFaults(tx: Transaction, at: AttemptAtHand): Injection {
  const { delivery, number } = at;
  const lasting = lastingFaults(at);
  const isDecided = lasting.some(
    ({ effect }) => !["delay", "reorder", "event-before-commit"].includes(effect),
  );
  const former = companyOf(tx, delivery.companyId).webhook.formerSecrets.at(-1);
  const momentary = applyFaults(tx, {
    stage: "attempt",
    event: delivery.event,
    operation: delivery.operation,
    objectId: delivery.objectId,
    isAbout: (id) => isAbout(delivery, id),
    attempt: number,
    taken: isDecided && delivery.duplicateOf === null ? ["manner"] : [],
    suits: (effect) => effect !== "old-secret" || former !== undefined,
  });
  const applied = [...lasting, ...momentary];
  const outage = appliedOf(momentary, "outage");
  const dropped = appliedOf(applied, "drop", "drop-first", "interleave-retry");
  return {
    faults: applied,
    unsent: outage !== undefined ? "refused" : dropped !== undefined ? "timeout" : null,
    retryAt: outage === undefined ? null : endOf(tx, outage),
    secret: secretBy(applied, former),
  };
}

/** The faults of the delivery as a whole that touch this attempt; of a copy, the one that made it. */
function lastingFaults({ delivery, trigger }: AttemptAtHand): readonly AppliedFault[] {
  if (delivery.duplicateOf !== null) return trigger === "injected" ? delivery.faults : [];
  const tried = delivery.attempts.filter((attempt) => attempt.trigger === "scheduled").length;
  if (trigger !== "scheduled") return [];
  return delivery.faults.filter(
    ({ effect, fields }) =>
      (FIRST_ATTEMPT.has(effect) && tried === 0) ||
      (effect === "drop-first" && tried < Number(fields["attempts"])),
  );
}

function secretBy(applied: readonly AppliedFault[], former: string | undefined): string | null {
  if (appliedOf(applied, "old-secret") !== undefined)
    return assertDefined(former, "the secret before the last rotation");
  if (appliedOf(applied, "empty-secret") !== undefined) return "";
  return appliedOf(applied, "wrong-secret") === undefined ? null : "not-the-secret-of-anyone";
}

/** An outage ends at its second time; the reading of a fault has seen to it that it has one. */
function endOf(tx: Transaction, { faultId }: AppliedFault): Instant {
  return assertDefined(tx.get(faults, faultId)?.selectors.between, `the times of the outage ${faultId}`)[1];
}
