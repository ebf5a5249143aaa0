import type { ShapeName } from "../../simulator/api/generated/shapes.ts";
import type { EventName } from "../../simulator/api/vocabulary.ts";
import type { EffectName } from "../../simulator/platform/faults/effects.ts";
import type { FaultDefinition } from "../../simulator/platform/faults/fault.ts";
import { readFault } from "../../simulator/platform/faults/reading.ts";
import { events, eventShapes, failureOf } from "../../simulator/api/events.ts";
import { inlinedSchema } from "../../simulator/api/schemas.ts";
import { type Operation, operations } from "../../simulator/api/operations.ts";
import { Refusal } from "../../simulator/engine/refusal.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

/** A behaviour that no platform has. A test run should fail with it. */
export interface Sabotage {
  readonly id: string;
  /** The change in words: `ORDER-PAYOUT.ERROR never comes`. */
  readonly says: string;
  /** The fault to arm when the world is founded, without any limit, as `POST /sandbox/faults` takes it. */
  readonly fault: {
    readonly on: "webhook" | "api" | "clock";
    readonly effect: EffectName;
    readonly event?: string;
    readonly operation?: string;
    readonly status?: number;
  };
}

/** Returns every sabotage, of the events and operations of the platform API and of all of it. */
export function sabotages(): readonly Sabotage[] {
  return [
    ...(Object.keys(events) as EventName[]).flatMap(ofEvent),
    ...Object.values(operations).flatMap(ofOperation),
    {
      id: "signatures.wrong",
      says: "every signature is wrong",
      fault: { on: "webhook", effect: "wrong-secret" },
    },
    {
      id: "settlement.never",
      says: "payments never settle",
      fault: { on: "clock", effect: "never-settles" },
    },
    {
      id: "clock.next-day-never",
      says: "the clock never reaches the next day",
      fault: { on: "clock", effect: "last-day" },
    },
  ];
}

/** Returns the sabotage of that id. Refuses an unknown id, and names the nearest ones. */
export function sabotage(id: string): Sabotage {
  const all = sabotages();
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const known = all.map((one) => one.id);
  throw new Refusal(
    "INVALID_REQUEST",
    `Failed to read a sabotage: there is no "${id.slice(0, 100)}". ${suggestion(id, known, { countMax: 3, all: "docs/doubt.md" })}`,
  );
}

/** Its fault, as `faults` of the settings of a world takes it. */
export function faultOf({ fault }: Sabotage): FaultDefinition {
  return readFault({ ...fault }, { events: Object.keys(events), operations: Object.keys(operations) });
}

function ofEvent(event: EventName): Sabotage[] {
  const one = (end: string, says: string, effect: EffectName): Sabotage => ({
    id: `event.${event}.${end}`,
    says: `${event} ${says}`,
    fault: { on: "webhook", event, effect },
  });
  return [
    one("never", "never comes", "lose"),
    ...(eventShapes(events[event]).some(hasAmount)
      ? [one("other-amount", "comes with another amount", "other-amount")]
      : []),
    ...(failureOf(event) === undefined ? [] : [one("failure", "says failure", "failure")]),
  ];
}

function ofOperation({ operationId: operation, response }: Operation): Sabotage[] {
  const one = (end: string, says: string, effect: EffectName, status?: number): Sabotage => ({
    id: `operation.${operation}.${end}`,
    says: `${operation} ${says}`,
    fault: { on: "api", operation, effect, ...(status !== undefined && { status }) },
  });
  return [
    one("fails", "always fails with 500", "error", 500),
    ...(hasAmount(response)
      ? [one("other-amount", "answers with another amount", "answer-other-amount")]
      : []),
  ];
}

/** Returns true if a shape has an amount anywhere that can be replaced. */
function hasAmount(shape: ShapeName): boolean {
  return /"(currency|\w*amount)":\{/i.test(JSON.stringify(inlinedSchema(shape)));
}
