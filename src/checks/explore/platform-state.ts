import type { PlayedCall } from "./calls.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import type { PlayedWorld } from "../../server/access/played-world.ts";

/** The fields that belong to the platform's own state of an object. */
const KEPT =
  /^(?:externalId|code|status|value|currency|type|purpose|reason|sequence|amount|\w+(?:Amount|Count))$/;

/** The collections whose objects a run makes, in the order of the report. */
export const OBJECTS = [
  "subscriptions",
  "cancellations",
  "scheduled-payments",
  "orders",
  "refunds",
  "payouts",
  "claims",
] as const;

/**
 * Returns the part of the platform that is compared at the end of a run: the objects that its calls made, and the
 * balances.
 */
export function platformState(world: PlayedWorld): unknown {
  const lists = new Map<string, readonly unknown[]>();
  for (const collection of OBJECTS) {
    const data = world.objects(collection);
    if (data.length > 0) lists.set(collection, data);
  }
  const names = new Map<string, string>();
  for (const [name, objects] of lists)
    for (const [index, object] of objects.entries())
      if (isRecord(object)) names.set(String(object["id"]), `${name}[${index}]`);
  const state: Record<string, unknown> = {};
  for (const [name, objects] of lists) state[name] = objects.map((object) => kept(object, names));
  return { ...state, accounts: balances(world.balances(), names) };
}

function kept(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => kept(item, names));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).flatMap(([key, item]): (readonly [string, unknown])[] => {
    if (key === "id" || key.endsWith("History")) return [];
    if (typeof item === "string" && names.has(item)) return [[key, names.get(item)]];
    if (typeof item !== "object" || item === null) return KEPT.test(key) ? [[key, item]] : [];
    const inner = kept(item, names);
    return Object.keys(inner as object).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries(fields);
}

function balances(accounts: ReturnType<PlayedWorld["balances"]>, names: ReadonlyMap<string, string>): object {
  return Object.fromEntries(
    accounts
      .filter(({ value }) => Number(value) !== 0)
      .map(({ account, currency, value }) => {
        const [kind = "", id = ""] = account.split(":");
        const named = id === "" ? kind : `${kind}:${names.get(id) ?? id}`;
        return [`${named} ${currency}`, value];
      }),
  );
}

/** The effect of a wrong movement of money, by the collection of its objects. */
const MOVED: Readonly<Record<string, string>> = {
  payouts: "left the account",
  refunds: "was refunded",
  "scheduled-payments": "is charged",
  orders: "is asked for",
};

const COUNTS = ["", "once", "twice", "three times", "four times"];

/** An object that moves money. */
interface Moving {
  readonly amount: string;
  /** The partner's name for it in two forms: equal in every run, and as in this run. */
  readonly identity: string;
  readonly name: string;
}

/** Says, as a sentence, which money moved too often or not at all. Undefined if all money moved right. */
export function moneyWords({
  baseline,
  found,
  raw,
  calls,
  run,
  isMissed = () => true,
}: {
  /**
   * The state of the baseline, the state of the run with the names of the baseline, and the unchanged state of the run.
   */
  readonly baseline: unknown;
  readonly found: unknown;
  readonly raw: unknown;
  readonly calls: readonly PlayedCall[];
  readonly run: string;
  /** True if a missing movement has its cause in the deviation, and not in a step that failed before it. */
  readonly isMissed?: (identity: string) => boolean;
}): string | undefined {
  const compared = Object.entries(MOVED).flatMap(([collection, moved]) => {
    const nouns = collection.replace("-", " ");
    const of = { nouns, noun: nouns.replace(/s$/, ""), moved };
    const before = Map.groupBy(movingIn(collection, baseline), ({ amount }) => amount);
    const after = Map.groupBy(movingIn(collection, found, raw), ({ amount }) => amount);
    const amounts = new Set([...before.keys(), ...after.keys()]);
    return Array.from(amounts, (amount) => {
      const [had, has] = [before.get(amount) ?? [], after.get(amount) ?? []];
      return {
        ...of,
        amount,
        has,
        isMore: has.length > had.length,
        extra: without(has, had),
        missing: without(had, has),
      };
    });
  });
  const more = compared.find(({ isMore }) => isMore);
  if (more !== undefined) {
    const { amount, moved, noun, nouns, has, extra } = more;
    const alike = has.filter(({ identity }) => identity === extra[0]?.identity);
    const isOneMore = alike.length < 2 && has.length > 2;
    const names = (isOneMore ? extra.slice(0, 1) : alike.length < 2 ? has : alike).map(({ name }) => name);
    const keys = new Set(
      calls.flatMap(({ isCarriedOut, key, object }) =>
        isCarriedOut && key !== null && names.some((name) => object.includes(name)) ? [key] : [],
      ),
    );
    const keyed = keys.size > 1 ? ` (${numberWord(keys.size)} keys)` : "";
    const times = isOneMore ? "once more" : (COUNTS[names.length] ?? `${names.length} times`);
    return `${amount} ${moved} ${times}: ${isOneMore ? noun : nouns} ${names.join(" and ")}${keyed}`;
  }
  for (const { amount, moved, noun, extra, missing } of compared) {
    const first = missing.find(({ identity }) => extra.length > 0 || isMissed(identity));
    if (first === undefined) continue;
    const name = first.name.replaceAll("${run}", run);
    return extra[0] === undefined
      ? `${amount} never ${moved.replace(/^(?:was|is) /, "was ")}: ${noun} ${name} is missing`
      : `${amount} ${moved} under another name: ${noun} ${extra[0].name} in place of ${name}`;
  }
  return undefined;
}

type Lists = Readonly<Record<string, readonly unknown[]>>;

/** Returns the objects of a collection that move money. `raw` is the same state with the names of this run. */
function movingIn(collection: string, state: unknown, raw: unknown = state): Moving[] {
  const [lists, own] = [state, raw] as [Lists | undefined, Lists | undefined];
  return (lists?.[collection] ?? []).flatMap((object, index) => {
    const amount = isRecord(object) ? amountOf(object) : undefined;
    if (amount === undefined) return [];
    const [identity, name] = [nameIn(object, lists), nameIn(own?.[collection]?.[index], own)];
    return [{ amount, identity, name }];
  });
}

/** Returns the movements of one list that the other lacks. Equal movements count one by one. */
function without(list: readonly Moving[], other: readonly Moving[]): Moving[] {
  const left = other.map(({ identity }) => identity);
  return list.filter(({ identity }) => {
    const at = left.indexOf(identity);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function numberWord(count: number): string {
  return ["no", "one", "two", "three", "four"][count] ?? String(count);
}

function amountOf(object: Readonly<Record<string, unknown>>): string | undefined {
  const { amount, order } = object;
  const found = isRecord(amount)
    ? amount["value"]
    : (amount ?? (isRecord(order) ? amountOf(order) : undefined));
  return typeof found === "string" ? found : undefined;
}

/** Returns the partner's name for an object. A refund has the name of its order, which is in the state. */
function nameIn(object: unknown, lists: Lists | undefined): string {
  const { externalId, code, orderId, order } = isRecord(object) ? object : {};
  const position = /^orders\[(\d+)\]$/.exec(String(orderId))?.[1];
  const its = position === undefined ? order : lists?.["orders"]?.[Number(position)];
  const name = externalId ?? code ?? (isRecord(its) ? `of ${nameIn(its, lists)}` : orderId);
  return typeof name === "string" ? name : "without a name";
}

/** Returns the path inside the platform's state. Undefined for a path of the partner's state. */
export function ofPlatform(path: string): string | undefined {
  return /^\$platform(?![A-Za-z0-9_])/.test(path) ? `$${path.slice("$platform".length)}` : undefined;
}
