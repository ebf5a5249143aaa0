import type { PlayedCall } from "./calls.ts";
import { isRecord } from "../../engine/json.ts";
import type { PlayedWorld } from "../../library/played-world.ts";
import type { StateDifference } from "../oracle/comparison.ts";

/** What belongs to the platform's own state of an object. */
const KEPT =
  /^(?:externalId|code|status|value|currency|type|purpose|reason|sequence|amount|\w+(?:Amount|Count))$/;

/** Collections whose objects a run makes; their order is that of the report. */
export const OBJECTS = [
  "subscriptions",
  "cancellations",
  "scheduled-payments",
  "orders",
  "refunds",
  "payouts",
  "claims",
] as const;

/** What of the platform is compared at the end of a run: the objects that its calls made, and the balances. */
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

/** What money did in the wrong place, by the collection of its objects. */
const MOVED: Readonly<Record<string, string>> = {
  payouts: "left the account",
  refunds: "was refunded",
  "scheduled-payments": "is charged",
  orders: "is asked for",
};

const COUNTS = ["", "once", "twice", "three times", "four times"];

/** A difference of the platform's objects in words of money; undefined where no money is in it. */
export function moneyWords(
  differences: readonly StateDifference[],
  {
    state,
    calls,
    run,
  }: { readonly state: unknown; readonly calls: readonly PlayedCall[]; readonly run: string },
): string | undefined {
  for (const { path, baseline, found } of differences) {
    const [, collection = ""] = /^\$platform(?:\.([\w]+)|\["([\w-]+)"\])/.exec(path)?.filter(Boolean) ?? [];
    const moved = MOVED[collection];
    const object = baseline === undefined ? found : baseline;
    if (moved === undefined || !isRecord(object) || (baseline !== undefined && found !== undefined)) continue;
    const amount = amountOf(object);
    if (amount === undefined) continue;
    const nouns = collection.replace("-", " ");
    const noun = nouns.replace(/s$/, "");
    const lists = state as Readonly<Record<string, readonly unknown[]>>;
    const other = differences.find(
      (one) =>
        one.path.startsWith(`$platform.${collection}[`) &&
        one.baseline === undefined &&
        isRecord(one.found) &&
        amountOf(one.found) === amount,
    );
    if (found === undefined && isRecord(other?.found))
      return `${amount} ${moved} under another name: ${noun} ${nameIn(other.found, lists, run)} in place of ${nameIn(object, lists, run)}`;
    if (found === undefined)
      return `${amount} never ${moved.replace(/^(?:was|is) /, "was ")}: ${noun} ${nameIn(object, lists, run)} is missing`;
    const equal = (lists[collection] ?? []).filter(isRecord).filter((other) => amountOf(other) === amount);
    const alike = equal.filter((other) => isAlike(other, object));
    const isOneMore = alike.length < 2 && equal.length > 2;
    const same = isOneMore ? [object] : alike.length < 2 ? equal : alike;
    const names = same.map((other) => nameIn(other, lists, run));
    const keys = new Set(
      calls.flatMap(({ isCarriedOut, key, object: about }) =>
        isCarriedOut && key !== null && names.some((name) => about.includes(name)) ? [key] : [],
      ),
    );
    const keyed = keys.size > 1 ? ` (${numberWord(keys.size)} keys)` : "";
    const times = isOneMore ? "once more" : (COUNTS[same.length] ?? `${same.length} times`);
    return `${amount} ${moved} ${times}: ${isOneMore ? noun : nouns} ${names.join(" and ")}${keyed}`;
  }
  return undefined;
}

function numberWord(count: number): string {
  return ["no", "one", "two", "three", "four"][count] ?? String(count);
}

function isAlike(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  return ["externalId", "orderId"].some((name) => one[name] !== undefined && one[name] === other[name]);
}

function amountOf(object: Readonly<Record<string, unknown>>): string | undefined {
  const { amount, order } = object;
  const found = isRecord(amount)
    ? amount["value"]
    : (amount ?? (isRecord(order) ? amountOf(order) : undefined));
  return typeof found === "string" ? found : undefined;
}

/** What the partner calls an object; a refund has the name of its order, which stands in the state. */
function nameIn(
  object: Readonly<Record<string, unknown>>,
  lists: Readonly<Record<string, readonly unknown[]>>,
  run: string,
): string {
  const { externalId, code, orderId, order } = object;
  const position = /^orders\[(\d+)\]$/.exec(String(orderId))?.[1];
  const its = position === undefined ? order : lists["orders"]?.[Number(position)];
  const name = externalId ?? code ?? (isRecord(its) ? `of ${nameIn(its, lists, run)}` : orderId);
  return typeof name === "string" ? name.replaceAll("${run}", run) : "without a name";
}
