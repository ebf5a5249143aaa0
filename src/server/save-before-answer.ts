import type { FileStorage } from "./storage/file-storage.ts";
import type { Layer, RequestEnvironment } from "./environment.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { Refusal } from "../simulator/engine/refusal.ts";
import { refusalAnswer } from "./answer.ts";

/**
 * Sends an answer only after all changes that it may have made or seen are stored. Otherwise the answer is a failure.
 */
export function saveBeforeAnswer(storage: FileStorage, worlds: Worlds): Layer {
  return (answer) =>
    async function saveChange(request, env) {
      await storage.rollback;
      const { rollbackCount } = storage;
      const answered = await answer(request, env);
      try {
        await storage.settled();
        if (storage.rollbackCount === rollbackCount) return answered;
        return notSaved(worlds, env, NOTHING_CHANGED);
      } catch (error) {
        return notSaved(worlds, env, (error as Error).message);
      }
    };
}

const NOTHING_CHANGED = "Failed to save the change. Nothing was changed. Send the request again.";

/** Returns the answer if a change could not be stored, in the error form of the operation. */
function notSaved(worlds: Worlds, { received, named }: RequestEnvironment, reason: string): Response {
  const form = received?.matched?.operation.errorForm === "sentences" ? "sentences" : "common";
  return refusalAnswer(worlds, new Refusal("INTERNAL_ERROR", reason), form, named?.inbound);
}
