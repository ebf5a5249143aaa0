import type { Assumption } from "../../platform/assumptions/assumption.ts";
import type { ControlRequest } from "./control.ts";
import type { Coverage } from "../../worlds/coverage.ts";
import { assumptions } from "../../platform/assumptions/assumptions.ts";
import { effectNames } from "../../platform/faults/effects.ts";
import { events } from "../../api/events.ts";
import { lifecycles } from "../../platform/lifecycles.ts";
import { transitionName } from "../../worlds/coverage.ts";

/** All there is to be covered, by name. */
const ALL: Readonly<Record<keyof CountedAreas, readonly string[]>> = {
  transitions: lifecycles.flatMap(({ resource, transitions }) =>
    transitions.flatMap(({ from, action, to }) =>
      from.map((state) => transitionName(resource, { action, from: state, to })),
    ),
  ),
  events: Object.keys(events),
  errors: ["INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "NOT_FOUND", "INTERNAL_ERROR"],
  // A statement says how the sandbox is made; nothing can go by it.
  assumptions: Object.entries<Assumption<unknown>>(assumptions)
    .filter(([, { type }]) => type.kind !== "statement")
    .map(([id]) => id),
  faults: effectNames(),
};

type CountedAreas = Pick<Coverage, "transitions" | "events" | "errors" | "assumptions" | "faults">;

/**
 * `GET /sandbox/coverage`: which transitions of each lifecycle, events, error codes, assumptions and effects of
 * faults this world went through since its start, and which it did not (count 0).
 */
export function showCoverage({ world }: Pick<ControlRequest, "world">): object {
  const areas = Object.entries(ALL).map(([area, names]) => {
    const counted = world.coverage[area as keyof CountedAreas];
    const rows = names.map((name) => ({ name, count: counted.get(name) ?? 0 }));
    return [area, { ...shareOf(rows), rows }] as const;
  });
  return { ...shareOf(areas.flatMap(([, { rows }]) => rows)), areas: Object.fromEntries(areas) };
}

function shareOf(rows: readonly { readonly count: number }[]): object {
  const covered = rows.filter(({ count }) => count > 0).length;
  const percent = rows.length === 0 ? 100 : Math.floor((1000 * covered) / rows.length) / 10;
  return { covered, total: rows.length, percent };
}
