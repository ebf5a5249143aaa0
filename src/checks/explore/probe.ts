import type { Exploration } from "./exploration.ts";
import { NotTried } from "../../base/failures.ts";
import type { PartnerLife } from "../../partner/partner-system.ts";
import { readProbe, stateOf } from "../../partner/partner-state.ts";
import type { Session } from "../../scenarios/session.ts";

/**
 * Returns a reader for the state of the partner's system once it runs. Undefined without a probe, if the platform's own
 * state is enough.
 */
export function probeOf(
  exploration: Exploration,
  { isCaller, life }: { readonly isCaller: boolean; readonly life: PartnerLife },
): ((session: Session) => Promise<unknown>) | undefined {
  const { scenario, books, wall } = exploration;
  const url = probeUrlOf(exploration);
  const read =
    probeWithoutRun(exploration) ??
    (url && (async (session: Session) => readProbe(await session.fill(url), wall)));
  if (!read && (books ?? scenario.probe?.books) !== undefined)
    throw new NotTried("The books need a probe. Name a URL that returns your system's state as JSON.");
  if (!read && !isCaller)
    throw new NotTried(
      "The probe is missing. Name a URL that returns your system's state as JSON with --probe, or with `probe` in the scenario.",
    );
  return read ? (session) => life.ready.then(() => read(session)) : undefined;
}

function probeUrlOf({ probe, scenario }: Exploration): string | undefined {
  return typeof probe === "function" ? undefined : (probe ?? scenario.probe?.url);
}

/**
 * Returns a reader for the state of the partner's system at any time. Undefined without a probe, or if its URL contains
 * a value of a run.
 */
export function probeWithoutRun(exploration: Exploration): (() => Promise<unknown>) | undefined {
  const { probe, wall } = exploration;
  if (typeof probe === "function") return () => stateOf(probe, wall);
  const url = probeUrlOf(exploration);
  return !url || url.includes("${") ? undefined : () => readProbe(url, wall);
}
