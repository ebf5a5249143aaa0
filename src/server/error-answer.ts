import type { Context } from "hono";
import type { ErrorForm } from "./refusal-answer.ts";
import type { RequestEnvironment } from "./served.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { jsonAnswer } from "./answer.ts";
import { Refusal } from "../engine/refusal.ts";
import { refusalAnswer } from "./refusal-answer.ts";

/** The answer to a path that nothing is mounted at; `instead` says where there is something. */
export function noSuchPath(
  worlds: Worlds,
  c: Context,
  instead = "See /openapi.json for the paths.",
): Response {
  const message = `There is nothing at ${c.req.method} ${c.req.path.slice(0, 200)}. ${instead}`;
  return jsonAnswer(worlds.default, 404, { error: "NOT_FOUND", message, details: [] });
}

/** A bug of ours, and where it was met. */
interface Bug {
  readonly world: Pick<World, "simulation">;
  readonly error: Error;
  readonly c: Context;
  readonly form?: ErrorForm;
}

/**
 * The answer to a bug of ours in a world: no stack goes out, but the seed and the journal's position, with
 * which the bug can be replayed. It has the error form of the operation that met the bug.
 */
export function internalError({ world, error, c, form }: Bug): Response {
  const { seed, journal, now } = world.simulation;
  const { log, requestId } = (c.env ?? {}) as RequestEnvironment;
  const message = `The sandbox failed: this is a bug of its own. Report it with seed ${seed} and journal position ${journal.nextNumber - 1}.`;
  if (log === undefined) process.stderr.write(`${error.stack ?? error.message}\n`);
  else log.error({ err: error, requestId, seed, entry: journal.nextNumber - 1 }, message);
  return refusalAnswer({ now }, new Refusal("INTERNAL_ERROR", message), form);
}
