import type { AdvanceRequest, Clock } from "../../simulator/api/generated/shapes.ts";
import type { AdvanceTarget } from "../../simulator/worlds/advance.ts";
import { type Endpoint, type WorldAsked, instantOf, refuse } from "./endpoint.ts";
import { heldWebhooks } from "./held-webhooks.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { addDuration, CLOCK_LAST_YEAR, formatInstant, isOnTheClock } from "../../simulator/engine/instant.ts";
import { catalog, collections } from "../../simulator/platform/catalog.ts";
import { payoutTransactions } from "../../simulator/platform/payouts/payout.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { timers } from "../../simulator/engine/timers.ts";
import { SAO_PAULO } from "../../simulator/countries/brazil/calendar.ts";

/** The clock of a world. */
export const clockEndpoints = {
  showClock: {
    method: "GET",
    path: "/sandbox/clock",
    tag: "Time",
    summary: "Show the clock",
    response: "Clock",
    tool: { name: "clock" },
    answer: clockOf,
  } satisfies Endpoint,
  setClock: {
    method: "PUT",
    path: "/sandbox/clock",
    tag: "Time",
    summary: "Set the mode of the clock, or move it forward",
    description: "A later `now` advances the clock. An earlier `now` is refused.",
    request: "ClockRequest",
    response: "Clock",
    tool: { name: "clock", fields: ["mode"] },
    answer: async ({ worlds, world, signal, body: { mode, now } }) => {
      if (mode === undefined && now === undefined) refuse("mode", "Send `mode`, `now`, or both.", "REQUIRED");
      const to = now === undefined ? undefined : laterInstant(world, "now", now);
      if (mode !== undefined) world.setClockMode(mode);
      if (to !== undefined) await world.advance({ to }, undefined, { signal: stopSignal(worlds, signal) });
      return clockOf({ world });
    },
  } satisfies Endpoint<"ClockRequest">,
  listDue: {
    method: "GET",
    path: "/sandbox/clock/due",
    tag: "Time",
    summary: "List the due timers, the next first",
    description:
      "Each timer has its time, its object and `armedBy`: the journal entry that armed it. `total` counts all due timers.",
    query: "DueQuery",
    response: "DueList",
    showsOutcomes: true,
    answer: listDue,
  } satisfies Endpoint<never, "DueQuery">,
  advanceClock: {
    method: "POST",
    path: "/sandbox/clock/advance",
    tag: "Time",
    summary: "Move time forward and run due timers",
    description:
      "Takes exactly one of `by`, `to` and `until`. Runs each due timer at its own time and attempts the webhooks that it causes. The answer has the timeline of the advance, in order.",
    request: "AdvanceRequest",
    response: "AdvanceReport",
    answer: async ({ worlds, world, signal, body: { wait = true, ...where }, inbound }) => {
      const target = targetOf(world, where);
      if (!wait && "until" in target)
        refuse("wait", "`wait: false` does not work with `until`. Leave it out, or use `by` or `to`.");
      const options = { waits: wait, signal: stopSignal(worlds, signal) };
      const { from, to, follower, ...report } = await world.advance(target, inbound?.body, options);
      const at = formatInstant(to);
      const late = follower && { id: follower.id, name: follower.name, at };
      const held = heldWebhooks(world.records);
      const stillHeld = held.length > 0 && { held };
      return { from: formatInstant(from), to: at, ...report, follower: late, ...stillHeld };
    },
  } satisfies Endpoint<"AdvanceRequest">,
};

/** Aborts when the client of an advance leaves, or the server stops. */
function stopSignal({ closing }: Worlds, client: AbortSignal | undefined): AbortSignal {
  return client === undefined ? closing.signal : AbortSignal.any([client, closing.signal]);
}

export function clockOf({ world }: { readonly world: World }): Clock {
  return { mode: world.clock.mode, now: formatInstant(world.now) };
}

/** The collection whose objects a timer is about, by the timer's name. */
const collectionOfTimer: ReadonlyMap<string, string> = new Map(
  catalog.flatMap(({ name, timers: own }) => own.map((timer) => [timer.name, name] as const)),
);

function listDue({ world, query: { limit = Infinity } }: WorldAsked<object, { limit?: number }>): object {
  const { records } = world.shown();
  const ofPlatform = [...records.all(timers)].toSorted((a, b) => a.due - b.due || a.order - b.order);
  const ofFollowers = world.followers
    .list()
    .flatMap(({ next, name }) => (next === null ? [] : [{ due: Math.max(next, world.now), name }]));
  const armed = [...ofPlatform, ...ofFollowers].toSorted((a, b) => a.due - b.due);
  const data = armed
    .values()
    .take(limit)
    .map((timer) => {
      if ("name" in timer) return dueFollower(timer);
      const { due, kind, owner, armedBy } = timer;
      // The transactions of a payout, and the codes of a claim, are in no collection.
      const objectId = records.get(payoutTransactions, owner)?.payoutId ?? owner;
      const name = collectionOfTimer.get(kind);
      const isListed = name !== undefined && collections.get(name)?.has(records, objectId) === true;
      return { at: formatInstant(due), timer: kind, objectId, collection: isListed ? name : null, armedBy };
    });
  const held = heldWebhooks(records);
  return { data, total: armed.length, ...(held.length > 0 && { held }) };
}

function dueFollower({ due, name }: { readonly due: number; readonly name: string }): object {
  const about = { objectId: null, collection: null, armedBy: null };
  return { at: formatInstant(due), timer: "follower", ...about, kind: "follower", name };
}

/** The target of an advance; refuses unless there is exactly one of `by`, `to` and `until`. */
function targetOf(world: World, where: Omit<AdvanceRequest, "wait">): AdvanceTarget {
  const { by, to, until } = where;
  const given = Object.entries({ by, to, until }).flatMap(([field, value]) =>
    value === undefined ? [] : [field],
  );
  const [first = "by", ...more] = given;
  if (given.length !== 1) {
    refuse(
      first,
      `Send exactly one of \`by\` (a duration), \`to\` (a timestamp) and \`until\` (next or idle); found ${given.join(" and ") || "none"}.`,
      more.length > 0 ? "MUTUALLY_EXCLUSIVE" : "REQUIRED",
    );
  }
  if (until !== undefined) return { until };
  if (to !== undefined) return { to: laterInstant(world, "to", to) };
  const duration = assertDefined(by, "by");
  const end = addDuration(world.now, duration, SAO_PAULO);
  if (end !== world.now && !isOnTheClock(end))
    refuse("by", `by must not lead past the year ${CLOCK_LAST_YEAR}; found ${duration}.`);
  return { by: (from) => addDuration(from, duration, SAO_PAULO) };
}

function laterInstant(world: World, field: string, text: string): number {
  const instant = instantOf(text);
  const now = world.now;
  if (instant < now) {
    refuse(
      field,
      `Time goes forward only: it is ${formatInstant(now)}; found ${text}. Restore a snapshot to go back.`,
    );
  }
  if (instant > now && !isOnTheClock(instant))
    refuse(field, `${field} must not lie past the year ${CLOCK_LAST_YEAR}; found ${text}.`);
  return instant;
}
