import type { FileStorage } from "./storage/file-storage.ts";
import type { NamedRequest, ReceivedRequest } from "./environment.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { Refusal } from "../simulator/engine/refusal.ts";
import { refusalAnswer } from "./answer.ts";

/** Sends an answer only after the data that it depends on is stored. */
export interface Saving {
  /** Resolves when the worlds have only changes that can be stored. */
  readonly ready: () => Promise<void>;
  /**
   * Called before a request is answered. Returns the function that turns its answer into a failure, if changes since
   * then were not stored.
   */
  readonly begin: () => (
    request: ReceivedRequest & Partial<NamedRequest>,
    answer: Response,
  ) => Promise<Response>;
}

/**
 * Sends an answer only after all changes that it may have made or seen are stored. Otherwise the answer is a failure.
 */
export function saveBeforeAnswer(storage: FileStorage, worlds: Worlds): Saving {
  return {
    ready: async () => storage.rollback,
    begin() {
      const { rollbackCount } = storage;
      return async (request, answer) => {
        try {
          await storage.settled();
          if (storage.rollbackCount === rollbackCount) return answer;
          return notSaved(worlds, request, NOTHING_CHANGED);
        } catch (error) {
          return notSaved(worlds, request, (error as Error).message);
        }
      };
    },
  };
}

const NOTHING_CHANGED = "Failed to save the change. Nothing was changed. Send the request again.";

/** Returns the answer if a change could not be stored, in the error form of the operation. */
function notSaved(
  worlds: Worlds,
  { matched, inbound }: ReceivedRequest & Partial<NamedRequest>,
  reason: string,
): Response {
  const form = matched?.operation.errorForm === "sentences" ? "sentences" : "common";
  return refusalAnswer(worlds, new Refusal("INTERNAL_ERROR", reason), form, inbound);
}
