import type { Context } from "hono";
import type { Worlds } from "../worlds/worlds.ts";
import { jsonAnswer } from "./answer.ts";

/** The answer to a path that nothing is mounted at. */
export function noSuchPath(worlds: Worlds, c: Context): Response {
  const message = `There is nothing at ${c.req.method} ${c.req.path.slice(0, 200)}. See /openapi.json for the paths.`;
  return jsonAnswer(worlds.default, 404, { error: "NOT_FOUND", message, details: [] });
}

/**
 * The answer to a bug of ours: no stack goes out, but the seed and the journal's position, with which the bug
 * can be replayed.
 */
export function internalError(worlds: Worlds, error: Error): Response {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  const { seed, journal } = worlds.default.simulation;
  const message = `The sandbox failed: this is a bug of its own. Report it with seed ${seed} and journal position ${journal.nextNumber - 1}.`;
  return jsonAnswer({ now: worlds.default.simulation.now }, 500, {
    error: "INTERNAL_ERROR",
    message,
    details: [],
  });
}
