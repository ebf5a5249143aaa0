import type { Answer, RequestEnvironment } from "./listen.ts";
import type { Log } from "./log.ts";
import type { OpenedStorage, Storage } from "../storage/storage.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { WorldsOptions } from "../worlds/worlds.ts";
import { NOT_SENT } from "../webhooks/transport.ts";
import { operationAt } from "../api/operations.ts";
import { Refusal } from "../engine/refusal.ts";
import { refusalAnswer } from "./answer.ts";
import { Worlds } from "../worlds/worlds.ts";

/** The settings of this start that replace what was saved. */
interface GivenSettings {
  readonly assumptions?: object;
  readonly webhookUrl?: string;
}

interface SavedWorldsOptions {
  readonly path: string;
  readonly given: GivenSettings;
  readonly log: Log;
}

/**
 * Opens the worlds of a data file; from then on every change of theirs is stored there. Assumptions and a webhook
 * URL that are given at this start replace the saved ones. Throws a StorageMistake where the file cannot be used.
 */
export async function openSavedWorlds(
  worldsOptions: WorldsOptions,
  { path, given, log }: SavedWorldsOptions,
): Promise<{ worlds: Worlds; data: Storage }> {
  const { storage, saved } = await openStorage(path, log);
  const transport = sendDurably(storage, worldsOptions.transport);
  const worlds = new Worlds({ ...worldsOptions, transport, log: (event) => storage.write(event) }, saved);
  const { assumptions, webhookUrl } = worldsOptions.defaults;
  worlds.default.reconfigure({
    ...(given.assumptions && { assumptions: { ...worlds.default.settings.assumptions, ...assumptions } }),
    ...(given.webhookUrl !== undefined && { webhookUrl }),
  });
  try {
    await storage.settled();
  } catch (error) {
    worlds.close();
    await storage.close();
    throw error;
  }
  storage.attach(worlds);
  return { worlds, data: storage };
}

/** Loads the storage only where one is used. */
async function openStorage(path: string, log: Log): Promise<OpenedStorage> {
  const { FileStorage } = await import("../storage/file-storage.ts");
  return FileStorage.open(path, {
    info: (sentence) => log.info({}, sentence),
    warn: (sentence) => log.warn({}, sentence),
  });
}

/** Lets an attempt leave only once the change that caused it is stored; one that was rolled back never leaves. */
function sendDurably(storage: Storage, transport: Transport): Transport {
  return async (requests) => ((await isStored(storage)) ? transport(requests) : requests.map(() => NOT_SENT));
}

async function isStored(storage: Storage): Promise<boolean> {
  try {
    await storage.settled();
    return storage.rollback === undefined;
  } catch {
    return false;
  }
}

interface AnswerSavedOptions {
  readonly worlds: Worlds;
  readonly answer: Answer;
}

/** Sends an answer only once every change that it may have made or seen is stored; otherwise it is a failure. */
export function answerSaved(storage: Storage, { worlds, answer }: AnswerSavedOptions): Answer {
  return async function answerOnceStored(request, env) {
    await storage.rollback;
    const { rollbackCount } = storage;
    const response = await answer(request, env);
    try {
      await storage.settled();
    } catch (error) {
      return notSaved(worlds, { request, env }, (error as Error).message);
    }
    return storage.rollbackCount === rollbackCount
      ? response
      : notSaved(
          worlds,
          { request, env },
          "Failed to save the change. Nothing was changed. Send the request again.",
        );
  };
}

/** The answer where a change could not be stored, in the error form of the operation. */
function notSaved(
  worlds: Worlds,
  {
    request: { method, url },
    env,
  }: { readonly request: Request; readonly env: RequestEnvironment | undefined },
  reason: string,
): Response {
  const operation = operationAt({ method, path: new URL(url).pathname });
  const form = operation?.errorForm === "sentences" ? "sentences" : "common";
  return refusalAnswer(worlds, new Refusal("INTERNAL_ERROR", reason), form, env?.inbound);
}
