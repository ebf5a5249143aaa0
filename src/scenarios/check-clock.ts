import { addDuration, CLOCK_YEARS, isDuration, isOnTheClock, parseInstant } from "../engine/instant.ts";
import type { Report } from "./context.ts";
import { isRecord } from "./fixture.ts";
import { timeZone } from "./interpolation.ts";

type Fields = { readonly [key: string]: unknown };

/** These take the clock back. */
const goingBack = /^POST \/sandbox\/(?:reset|snapshots\/[^/]+\/restore)$/;

/**
 * Time goes forward only: an `advance` to an instant that is past by then is a mistake, unless the step expects
 * the refusal. Of a world that starts at the time of the wall nothing is known before its first `to`.
 */
export function checkClock(scenario: Fields, report: Report): void {
  const start = instantOf(scenario["start"]);
  checkBounds(scenario["start"], (message) => report(["start"], message));
  let earliest = start;
  const steps = Array.isArray(scenario["steps"]) ? (scenario["steps"] as unknown[]) : [];
  for (const [index, step] of steps.entries()) {
    if (!isRecord(step)) continue;
    if (typeof step["call"] === "string" && goingBack.test(step["call"])) earliest = start;
    if (step["advance"] === undefined || expectsAnswer(step)) continue;
    const how = isRecord(step["advance"]) ? step["advance"] : { by: step["advance"] };
    const to = instantOf(how["to"]);
    checkBounds(how["to"], (message) => report(["steps", index, "advance", "to"], message));
    if (to !== undefined && earliest !== undefined && to < earliest) {
      const message = `${String(how["to"])} is past by then: the clock stands at ${written(earliest)} or later. Time goes forward only; going back is a snapshot.`;
      report(["steps", index, "advance", "to"], message);
    }
    earliest = latest(to, movedOn(earliest, how["by"]));
  }
}

function checkBounds(value: unknown, report: (message: string) => void): void {
  const instant = instantOf(value);
  if (instant === undefined || isOnTheClock(instant)) return;
  report(`${String(value)} is outside ${CLOCK_YEARS}, in which a clock can stand.`);
}

function movedOn(instant: number | undefined, duration: unknown): number | undefined {
  if (instant === undefined || !isOnTheClock(instant)) return undefined;
  if (typeof duration !== "string" || !isDuration(duration)) return instant;
  return addDuration(instant, duration, timeZone);
}

function instantOf(value: unknown): number | undefined {
  return typeof value === "string" ? parseInstant(value) : undefined;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function expectsAnswer({ expect }: Fields): boolean {
  return isRecord(expect) && ("status" in expect || "body" in expect);
}

function written(instant: number): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}
