import { type NamedState, drawnNames, nameState, namesOf, originsIn } from "../../partner/states/naming.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { type WebhookEvent, jsonOf } from "./event-source.ts";
import { type StateDifference, segmentOf } from "../../partner/states/comparison.ts";

/** Deliveries, and the receiver's state before and after them. */
export interface ObservedDeliveries {
  /** The events in their own order, each once. */
  readonly events: readonly WebhookEvent[];
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The change of deliveries in a receiver's state, learned from two that succeeded. A state is never compared as a whole
 * here, because the receiver keeps the events of earlier checks. Added items, the growth of numbers and new texts are
 * compared. Ids and times of the events count as the same if they come from the same place. Differences between the two
 * learned deliveries are left out.
 */
export class UsualChange {
  readonly #drawn: ReadonlyMap<string, string>;
  readonly #first: ReadonlyMap<string, PathChange>;
  readonly #second: ReadonlyMap<string, PathChange>;

  constructor(first: ObservedDeliveries, second: ObservedDeliveries) {
    this.#drawn = drawnNames(originsOf(first), originsOf(second));
    this.#first = this.#changesIn(first);
    this.#second = this.#changesIn(second);
  }

  /** True if both changed as many values at each place. */
  get isSteady(): boolean {
    const paths = new Set([...this.#first.keys(), ...this.#second.keys()]);
    return Array.from(paths).every((path) => this.#first.get(path)?.count === this.#second.get(path)?.count);
  }

  /** Returns true if a comparable part changes. Paths that change without an event are left out. */
  isVisible(isIdle: (path: string) => boolean = () => false): boolean {
    return Array.from(this.#first).some(([path, { count, value }]) => {
      const second = this.#second.get(path);
      return second?.count === count && (count !== 0 || second.value === value) && !isIdle(path);
    });
  }

  /**
   * Finds the unusual changes of other deliveries of such events, both changes in words. The paths have no positions:
   * `$.payments[*].status`. Paths that change by themselves are left out. If the events came in any order, a text that
   * each event replaces is the text of the last one.
   */
  differences(
    found: ObservedDeliveries,
    {
      isIdle = () => false,
      order,
    }: { isIdle?: (path: string) => boolean; order?: "any order" | undefined } = {},
  ): StateDifference[] {
    const changes = this.#changesIn(found);
    const paths = new Set([...this.#first.keys(), ...this.#second.keys(), ...changes.keys()]);
    return Array.from(paths).flatMap((path) => {
      const [first, second, change] = [this.#first, this.#second, changes].map(
        (all) => all.get(path) ?? NO_CHANGE,
      ) as [PathChange, PathChange, PathChange];
      if (first.count !== second.count || isIdle(path)) return [];
      const isReplaced = order !== undefined && first.count === 0 && !path.endsWith(NUMBER);
      const isStable = first.value === second.value && !isReplaced;
      if (change.count === first.count && (!isStable || change.value === first.value)) return [];
      return [{ path: written(path), baseline: textOf(first), found: textOf(change) }];
    });
  }

  #changesIn(observed: ObservedDeliveries): ReadonlyMap<string, PathChange> {
    const names = namesOf(originsOf(observed), this.#drawn);
    return changesBetween(nameState(observed.before, { names }), nameState(observed.after, { names }));
  }
}

/** Finds the paths of a state that changed although no event was sent. */
export function idlePaths(before: unknown, after: unknown): ReadonlySet<string> {
  const names = new Map<string, string>();
  return new Set(changesBetween(nameState(before, { names }), nameState(after, { names })).keys());
}

/**
 * Returns true if deliveries changed only counters: numbers that each event moves by one at most. Numbers in the items of
 * a list, or under the id of an object, belong to an object.
 */
export function showsOnlyCounters(
  { events, before, after }: ObservedDeliveries,
  isIdle: (path: string) => boolean,
): boolean {
  const names = new Map<string, string>();
  const changes = changesBetween(nameState(before, { names }), nameState(after, { names }));
  const changed = [...changes].filter(([path]) => !isIdle(path));
  const ids = events.flatMap((event) => event.ids);
  const isOfObject = (path: string): boolean => path.includes("[*]") || ids.some((id) => path.includes(id));
  const isCounted = (value: string): boolean =>
    Number.isInteger(Number(value)) && Math.abs(Number(value)) <= events.length;
  return (
    changed.length > 0 &&
    changed.every(([path, { value }]) => path.endsWith(NUMBER) && !isOfObject(path) && isCounted(value))
  );
}

function originsOf({ events }: ObservedDeliveries) {
  const all = events.map((event, index) => originsIn(jsonOf(event), `${EVENT} ${index + 1}`));
  return new Map(all.flatMap((origins) => Array.from(origins)));
}

/** The beginning of every name for a drawn value. */
const EVENT = "event";

/** The change at one path, for all items of a list together. */
interface PathChange {
  /** The number of additional values. */
  readonly count: number;
  /** The growth of numbers, or the new texts. */
  readonly value: string;
}

const NO_CHANGE: PathChange = { count: 0, value: "" };

const NUMBER = " number";

function changesBetween(before: NamedState, after: NamedState): ReadonlyMap<string, PathChange> {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const changes = new Map<string, PathChange>();
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    const change = changeOf(path, old.get(path) ?? new Map(), now.get(path) ?? new Map());
    if (change.count !== 0 || change.value !== "") changes.set(path, change);
  }
  return changes;
}

function changeOf(
  path: string,
  old: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): PathChange {
  const grown = Array.from(new Set([...old.keys(), ...now.keys()]), (value) => {
    return [value, (now.get(value) ?? 0) - (old.get(value) ?? 0)] as const;
  });
  const count = grown.reduce((sum, [, more]) => sum + more, 0);
  if (path.endsWith(NUMBER)) {
    const sum = grown.reduce((total, [value, more]) => total + Number(value) * more, 0);
    const isNothing = grown.every(([, more]) => more === 0);
    return { count, value: isNothing ? "" : `${sum < 0 ? "" : "+"}${Number(sum.toFixed(6))}` };
  }
  const added = grown.filter(([, more]) => more > 0).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    count,
    value: added.map(([value, more]) => (more === 1 ? value : `${more} × ${value}`)).join(", "),
  };
}

/** Returns the values at each path: how often each occurs. */
function leavesOf({ value, named }: NamedState): Map<string, Map<string, number>> {
  const leaves = new Map<string, Map<string, number>>();
  const add = (path: string, value: string): void => {
    const values = leaves.get(path) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + 1);
    leaves.set(path, values);
  };
  const walk = (one: unknown, path: string): void => {
    if (Array.isArray(one)) for (const item of one) walk(item, `${path}[${labelOf(item, named)}]`);
    else if (isRecord(one))
      for (const [key, item] of Object.entries(one)) walk(item, `${path}${segmentOf(key)}`);
    else if (isNumber(one)) add(path + NUMBER, String(one));
    else add(path, JSON.stringify(one) ?? "null");
  };
  walk(value, "$");
  return leaves;
}

/** Returns the label of an item of a list: the event that it names. Other items have the same label. */
function labelOf(item: unknown, named: ReadonlySet<string>): string {
  const texts = isRecord(item) ? Object.values(item) : [];
  const name = texts.find((text) => typeof text === "string" && named.has(text));
  return typeof name === "string" ? JSON.stringify(name) : "*";
}

/** Amounts are often texts. */
function isNumber(value: unknown): boolean {
  if (typeof value === "number") return true;
  return typeof value === "string" && /^-?\d{1,12}(?:\.\d{1,6})?$/.test(value);
}

function written(path: string): string {
  return path.replace(NUMBER, "");
}

/**
 * Describes a change in words: `no change`, `the new value "ACCEPTED"`, `2 new values (…)`, `1 value less`, `a change
 * of +10`.
 */
function textOf({ count, value }: PathChange): string {
  const isAmount = /^[+-]?\d/.test(value);
  if (count === 0)
    return value === "" ? "no change" : isAmount ? `a change of ${value}` : `the new value ${value}`;
  if (count === 1 && value !== "") return `the new value ${value.replace(/^\+/, "")}`;
  const values = Math.abs(count) === 1 ? "value" : "values";
  if (count < 0) return `${-count} ${values} less`;
  return `${count} new ${values}${value === "" ? "" : ` (${value})`}`;
}
