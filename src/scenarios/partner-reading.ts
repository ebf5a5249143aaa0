import { Books } from "./books/books.ts";
import { Traces, type TracesReading } from "./books/traces.ts";
import { type Reading, readProbe } from "../partner/partner-state.ts";
import { changedState, LATE_SETTLINGS } from "../partner/settled-state.ts";
import type { Session } from "./session.ts";

/** Returns the books that the scenario compares with the ledger. */
export function booksOf(session: Session): Books | undefined {
  const { books } = session.scenario.probe ?? {};
  const reading = readingOf(session);
  return books && reading && new Books(books, { session, ...reading });
}

/** Reads the effect of each webhook after its delivery, if the calls of the partner's system are checked. */
export function watchTraces(session: Session, books: Books | undefined): Traces | undefined {
  const reading = readingOf(session);
  if (!session.isLinted || session.world.watch === undefined || reading === undefined) return undefined;
  const traces = new Traces(session.client, { ...reading, books });
  session.world.watch(() => traces.look());
  return traces;
}

/** Returns the readings of the state of the partner's system: at once, at rest, and once it has changed. */
function readingOf(session: Session): (Reading & Pick<TracesReading, "changed">) | undefined {
  const { probe } = session.scenario;
  const url = probe?.url;
  const { wall, settleMs, world } = session;
  if (probe === undefined || url === undefined) return undefined;
  const read = async (): Promise<unknown> =>
    (session.facts.shown = await readProbe(await session.fill(url), wall));
  return {
    read,
    settled: async () => {
      await world.partner?.rested?.();
      return read();
    },
    changed: changedLate(read, { settleMs, wall }),
  };
}

/** The webhooks without a change that get this time, as long as no change was late. */
const UNCHANGED_MAX = 2;

/** Returns the reading of a state once it has changed. A system whose work came late once gets more time each time. */
function changedLate(
  read: () => Promise<unknown>,
  { settleMs, wall }: Pick<Session, "settleMs" | "wall">,
): TracesReading["changed"] {
  let isLate = false;
  let unchanged = 0;
  return async (before) => {
    const factor = isLate || unchanged < UNCHANGED_MAX ? LATE_SETTLINGS : 1;
    const { state, changedMs } = await changedState(read, { before, settleMs: factor * settleMs, wall });
    if (changedMs === undefined) unchanged += 1;
    else if (changedMs > settleMs) isLate = true;
    return state;
  };
}
