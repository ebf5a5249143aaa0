import type { Cause } from "../engine/journal.ts";
import { Coverage } from "./coverage.ts";
import type { InboundRequest } from "./inbound-request.ts";
import type { Outcome } from "../engine/simulation.ts";
import type { Transaction } from "../engine/transaction.ts";
import type { World } from "./world.ts";

/** The part of a world that a read shows. */
export type ShownWorld = Pick<World, "coverage" | "simulation" | "now" | "journal" | "records">;

/**
 * A world as a read shows it: with the outcomes of attempts that are known, which become part of it at a barrier. So
 * the journal does not depend on who looked.
 */
export function shownWorld(world: World): ShownWorld {
  let coverage: Coverage | undefined;
  const counted = (): Coverage => (coverage ??= new Coverage(world.coverage.counts()));
  const { present } = world;
  const shown = present.deliveries.shown({
    audit: (_, entry) => counted().entered(entry),
    consult: (assumption) => counted().consulted(assumption),
  });
  const simulation = shown ?? present.simulation;
  const { now, journal, records } = simulation;
  return { coverage: shown === undefined ? world.coverage : counted(), simulation, now, journal, records };
}

/** Runs a command that only reads, with the outcomes that a read shows. */
export function executeShown<T>(
  world: World,
  cause: Cause,
  command: (tx: Transaction) => T,
  request: InboundRequest,
): Outcome<T> {
  const shown = shownWorld(world);
  return shown.simulation === world.simulation
    ? world.execute(cause, command, request)
    : shown.simulation.execute(cause, command);
}
