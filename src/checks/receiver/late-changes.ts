import type { EventSource } from "./event-source.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import type { Probe } from "./probe.ts";

/** The objects of a check, with the state that decided it. */
interface Decided {
  readonly id: string;
  readonly objects: readonly string[];
  readonly state: unknown;
}

/** Notes the state that decided each check, and finds the checks whose objects changed later. */
export class LateChanges {
  readonly #probe: Probe | undefined;
  readonly #source: Pick<EventSource, "ids">;
  #decided: Decided[] = [];
  #objects = 0;
  readonly #late = new Set<string>();

  constructor(probe: Probe | undefined, source: Pick<EventSource, "ids">) {
    this.#probe = probe;
    this.#source = source;
  }

  /** Notes the end of a check. Its objects are those that events were about since the check before. */
  note(id: string, isPassed: boolean): void {
    const objects = [...this.#source.ids].slice(this.#objects);
    this.#objects = this.#source.ids.size;
    const rest = this.#probe?.atRest;
    if (isPassed && rest !== undefined && objects.length > 0)
      this.#decided.push({ id, objects, state: rest.state });
  }

  /** Compares the noted states with the present state, and forgets them. */
  async look(): Promise<void> {
    const decided = this.#decided;
    this.#decided = [];
    if (this.#probe === undefined || decided.length === 0) return;
    const changed = decidedChanged(this.#probe, decided, await this.#probe.now());
    if (changed.length === 0) return;
    // A part that moves by itself is no late work.
    const now = await this.#probe.look();
    for (const { id } of decidedChanged(this.#probe, changed, now)) this.#late.add(id);
  }

  /** Gives the receiver the time for late work, and returns the ids of the checks whose objects changed later. */
  async found(): Promise<ReadonlySet<string>> {
    if (this.#decided.length > 0) await this.#probe?.lateWork();
    await this.look();
    return this.#late;
  }
}

/** Returns the checks whose objects are different now. */
function decidedChanged(probe: Probe, all: readonly Decided[], now: unknown): Decided[] {
  return all.filter(({ objects, state }) => {
    const differences = probe.changes(ofObjects(state, objects), ofObjects(now, objects));
    // A list of the newest objects loses the older ones.
    return differences.some(
      ({ path, found }) =>
        found !== undefined &&
        (/\[\d+\]/.test(path) ||
          path.split(/[.[\]"]+/).some((key) => objects.includes(key)) ||
          mentions(found, objects)),
    );
  });
}

/** Returns a state whose lists have only the rows of these objects. */
function ofObjects(state: unknown, objects: readonly string[]): unknown {
  if (Array.isArray(state))
    return state
      .filter((row) => mentions(row, objects))
      .map((row: unknown) => (isRowOf(row, objects) ? row : ofObjects(row, objects)));
  if (!isRecord(state)) return state;
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, ofObjects(value, objects)]));
}

function isRowOf(row: unknown, objects: readonly string[]): boolean {
  return isRecord(row) && Object.values(row).some((value) => objects.includes(String(value)));
}

function mentions(value: unknown, objects: readonly string[]): boolean {
  const text = JSON.stringify(value);
  return objects.some((object) => text.includes(JSON.stringify(object)));
}
