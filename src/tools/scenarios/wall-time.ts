import type { Lint } from "../../api/generated/shapes.ts";
import type { Session } from "./session.ts";
import { isRecord, parsed } from "../../engine/json.ts";
import { OWN_AGENT } from "../../control/client.js";
import { parseInstant } from "../../engine/instant.ts";
import { segmentOf } from "../oracle/comparison.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** More findings do not help anyone. */
const FOUND_MAX = 5;

/**
 * Finds times of the wall clock in the state and calls of a system that follows the clock of the sandbox. These are
 * instants within a minute of the session, while the world is more than a day away. Empty without a follower.
 */
export async function wallTimeLints(session: Session): Promise<Lint[]> {
  const none = (): { data: [] } => ({ data: [] });
  const [follower] = (await session.client.ask("GET /sandbox/clock/followers").catch(none)).data;
  const endMs = session.wall.date();
  if (follower === undefined || Math.abs(Date.parse(follower.now) - endMs) <= DAY_MS) return [];
  const range = { first: session.facts.startedMs - MINUTE_MS, last: endMs + MINUTE_MS };
  const { data: calls } = await session.client.ask("GET /sandbox/requests").catch(none);
  const bodies = calls
    .filter(({ requestHeaders }) => requestHeaders["user-agent"] !== OWN_AGENT)
    .map(({ id, operationId, requestBody }) => ({
      id,
      operation: operationId,
      value: parsed(requestBody ?? ""),
    }));
  const found = [{ id: undefined, operation: null, value: session.facts.shown }, ...bodies].flatMap(
    ({ id, operation, value }) =>
      pathsOf(value, range).map((path): Lint => ({
        lint: "wall-time",
        message: `${path} is wall time. Does the database set it?`,
        fix: "Pass the time of your program, as docs/one-clock.md describes.",
        operation,
        requests: id === undefined ? [] : [id],
      })),
  );
  const first = new Map(found.map((lint) => [`${lint.operation} ${lint.message}`, lint]));
  return [...first.values()].slice(0, FOUND_MAX);
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Finds the JSON paths of instants in a range: timestamps, and milliseconds since the epoch. */
function pathsOf(value: unknown, range: Range, path = "$"): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => pathsOf(item, range, path + segmentOf(index)));
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => pathsOf(item, range, path + segmentOf(key)));
  const instant = typeof value === "string" ? instantOf(value) : value;
  return typeof instant === "number" && instant >= range.first && instant <= range.last ? [path] : [];
}

/** Reads an instant. A database writes a timestamp with a space, and may leave the offset out. */
function instantOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)) return undefined;
  return parseInstant(text) ?? parseInstant(`${text}Z`);
}
