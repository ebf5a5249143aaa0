import type { AttemptResult } from "../attempt.ts";
import type { Injection } from "../../platform/webhook-events/attempts.ts";
import { AttemptFailure } from "../attempt-failure.ts";

/** How an attempt ends that a fault keeps from ever leaving; undefined for one that leaves. */
export function unsentResult({ unsent, faults }: Injection): AttemptResult | undefined {
  if (unsent === null) return undefined;
  const effects = faults.map(({ effect }) => effect).join(", ");
  const { error, message } = new AttemptFailure(
    unsent,
    `the attempt never left, on purpose (fault ${effects})`,
    "See that the receiver deals well with what comes next.",
  );
  const nothing = { responseHeaders: {}, responseBody: "", responseTruncated: false, durationMs: 0 };
  return { status: null, error, message, ...nothing };
}
