import type { AdvanceTarget } from "../../worlds/advance.ts";
import type { ClockMode } from "../../worlds/clock.ts";
import type { World } from "../../worlds/world.ts";
import { foundValue } from "../../api/found-value.ts";
import {
  addDuration,
  CLOCK_LAST_YEAR,
  formatInstant,
  isDuration,
  isOnTheClock,
  parseInstant,
} from "../../engine/instant.ts";
import { catalog, collections } from "../../platform/catalog.ts";
import { payoutTransactions } from "../../platform/payouts/payout.ts";
import { type ControlRequest, type ControlRoutes, refuse, refuseOthers, wholeNumber } from "./control.ts";
import { timers } from "../../engine/timers.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";

/** The clock of a world. */
export const clockRoutes: ControlRoutes = {
  "GET /clock": { summary: "Show the clock", answer: showClock },
  "GET /clock/due": { summary: "List what is due next", answer: listDue },
  "PUT /clock": { summary: "Set the mode of the clock, or move it forward", answer: setClock },
  "POST /clock/advance": { summary: "Move time forward and run what is due", answer: advanceClock },
};

export function showClock({ world }: Pick<ControlRequest, "world">): { mode: ClockMode; now: string } {
  const now = formatInstant(world.now);
  return { mode: world.clockMode, now };
}

/** The collection whose objects a timer is about, by the timer's name. */
const collectionOfTimer: ReadonlyMap<string, string> = new Map(
  catalog.flatMap(({ name, timers: own }) => own.map((timer) => [timer.name, name] as const)),
);

/**
 * What is due, the next first, of which `limit` takes so many: when, the timer, the object that it is about, and
 * `armedBy`, the entry of the timeline that led to it. `total` counts all of it.
 */
function listDue({ world, query }: ControlRequest): object {
  refuseOthers(query, ["limit"]);
  const countMax = query["limit"] === undefined ? Infinity : wholeNumber("limit", query["limit"]);
  const { records } = world;
  const armed = [...records.all(timers)].toSorted((a, b) => a.due - b.due || a.order - b.order);
  const data = armed
    .values()
    .take(countMax)
    .map(({ due, kind, owner, armedBy }) => {
      // The transactions of a payout, and the codes of a claim, are in no collection.
      const objectId = records.get(payoutTransactions, owner)?.payoutId ?? owner;
      const name = collectionOfTimer.get(kind);
      const isListed = name !== undefined && collections.get(name)?.has(records, objectId) === true;
      return { at: formatInstant(due), timer: kind, objectId, collection: isListed ? name : null, armedBy };
    });
  return { data, total: armed.length };
}

/** `{mode?, now?}`: a later `now` is an advance to it, an earlier one is refused. */
async function setClock({ world, body }: ControlRequest): Promise<object> {
  const { mode, now } = body;
  refuseOthers(body, ["mode", "now"]);
  if (mode !== undefined && mode !== "running" && mode !== "frozen") {
    refuse("mode", `The mode must be running or frozen; found ${foundValue(mode)}.`);
  }
  if (mode === undefined && now === undefined) refuse("mode", "Send a mode, a now, or both.", "REQUIRED");
  const to = now === undefined ? undefined : laterInstant(world, "now", now);
  if (mode !== undefined) world.setClockMode(mode);
  if (to !== undefined) await world.advance({ to });
  return showClock({ world });
}

/** `{by | to | until, wait?}`; with `wait: false` it does not wait for webhooks in flight. */
async function advanceClock({ world, body, inbound }: ControlRequest): Promise<object> {
  const { wait = true, ...where } = body;
  refuseOthers(body, ["by", "to", "until", "wait"]);
  if (typeof wait !== "boolean") refuse("wait", `wait must be true or false; found ${foundValue(wait)}.`);
  const target = targetOf(world, where);
  if (!wait && "until" in target)
    refuse("wait", "An advance until next or idle waits for webhooks: omit wait, or send by or to.");
  const { from, to, ...report } = await world.advance(target, inbound?.body, { waits: wait });
  return { from: formatInstant(from), to: formatInstant(to), ...report };
}

/** Reads the target of an advance; refuses unless there is exactly one of `by`, `to` and `until`. */
function targetOf(world: World, body: Readonly<Record<string, unknown>>): AdvanceTarget {
  const { by, to, until } = body;
  const given = Object.keys({ by, to, until }).filter((field) => body[field] !== undefined);
  const [first = "by", ...more] = given;
  if (given.length !== 1) {
    refuse(
      first,
      `Send exactly one of by (a duration), to (a timestamp) and until (next or idle); found ${given.join(" and ") || "none"}.`,
      more.length > 0 ? "MUTUALLY_EXCLUSIVE" : "REQUIRED",
    );
  }
  if (until !== undefined) {
    if (until === "next" || until === "idle") return { until };
    refuse("until", `until must be next or idle; found ${foundValue(until)}.`);
  }
  if (to !== undefined) return { to: laterInstant(world, "to", to) };
  if (typeof by !== "string" || !isDuration(by)) {
    refuse("by", `by must be an ISO 8601 duration such as PT5S or P1M; found ${foundValue(by)}.`);
  }
  if (!isWithinReach(world.now, by))
    refuse("by", `by must not lead past the year ${CLOCK_LAST_YEAR}; found ${by}.`);
  return { by: (from) => addDuration(from, by, saoPaulo) };
}

function isWithinReach(from: number, duration: string): boolean {
  const to = addDuration(from, duration, saoPaulo);
  return to === from || isOnTheClock(to);
}

function laterInstant(world: World, field: string, value: unknown): number {
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  if (instant === undefined) {
    refuse(
      field,
      `${field} must be a timestamp with its offset, such as 2026-11-20T09:00:00-03:00; found ${foundValue(value)}.`,
    );
  }
  const now = world.now;
  if (instant < now) {
    refuse(
      field,
      `Time goes forward only: it is ${formatInstant(now)}; found ${String(value)}. Restore a snapshot to go back.`,
    );
  }
  if (instant > now && !isOnTheClock(instant)) {
    refuse(field, `${field} must not lie past the year ${CLOCK_LAST_YEAR}; found ${String(value)}.`);
  }
  return instant;
}
