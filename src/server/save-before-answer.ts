import type { Context, MiddlewareHandler } from "hono";
import type { FileStorage } from "../storage/file-storage.ts";
import type { ServerEnv } from "./environment.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { operationAt } from "../api/operations.ts";
import { Refusal } from "../engine/refusal.ts";
import { refusalAnswer, replaceAnswer } from "./answer.ts";

/**
 * Sends an answer only after all changes that it may have made or seen are stored. Otherwise the answer is a failure.
 */
export function saveBeforeAnswer(storage: FileStorage, worlds: Worlds): MiddlewareHandler<ServerEnv> {
  return async function saveChange(c, next) {
    await storage.rollback;
    const { rollbackCount } = storage;
    await next();
    try {
      await storage.settled();
      if (storage.rollbackCount === rollbackCount) return;
      replaceAnswer(c, notSaved(worlds, c, NOTHING_CHANGED));
    } catch (error) {
      replaceAnswer(c, notSaved(worlds, c, (error as Error).message));
    }
  };
}

const NOTHING_CHANGED = "Failed to save the change. Nothing was changed. Send the request again.";

/** Returns the answer if a change could not be stored, in the error form of the operation. */
function notSaved(worlds: Worlds, { req, env }: Context<ServerEnv>, reason: string): Response {
  const form = operationAt(req)?.errorForm === "sentences" ? "sentences" : "common";
  return refusalAnswer(worlds, new Refusal("INTERNAL_ERROR", reason), form, env.inbound);
}
