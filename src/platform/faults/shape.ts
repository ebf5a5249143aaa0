import type { Fault } from "./fault.ts";
import { effectOf } from "./effects.ts";
import { formatInstant } from "../../engine/instant.ts";
import { isInForce } from "./fault.ts";
import { omitNulls } from "../shape.ts";

/** A fault as it was written, with what came of it; one that cannot take effect any more is not in force. */
export function faultShape(fault: Fault, now: number): object {
  const { id, effect, selectors, fields, matches, hits } = fault;
  const { attempt, between, ...others } = selectors;
  return {
    id,
    on: effectOf(effect).on,
    effect,
    ...omitNulls({
      ...others,
      attempt: attempt?.length === 1 ? (attempt[0] ?? null) : attempt,
      between: between && between.map(formatInstant),
    }),
    ...omitNulls(fields),
    matches,
    hits,
    inForce: isInForce(fault, now),
  };
}
