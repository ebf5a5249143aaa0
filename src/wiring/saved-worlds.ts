import type { Answer } from "../server/durable-answers.ts";
import type { DataFile } from "../storage/data-file.ts";
import type { Log } from "../server/log.ts";
import type { WorldsOptions } from "../worlds/worlds.ts";
import { answerDurably, sendDurably } from "../server/durable-answers.ts";
import { errorFormAt } from "../server/interface/error-form.ts";
import { Refusal } from "../engine/refusal.ts";
import { refusalAnswer } from "../server/refusal-answer.ts";
import { Worlds } from "../worlds/worlds.ts";

/** What was said at this start, beside what every start says. */
interface Given {
  readonly assumptions?: Readonly<Record<string, unknown>>;
  readonly webhookUrl?: string;
}

/**
 * The worlds of a data file, and from now on every change of theirs in it. Assumptions and a webhook URL given
 * at this start take the place of those that were saved. Throws where the file cannot be used.
 */
export async function openSavedWorlds(
  worldsOptions: WorldsOptions,
  { path, given, log }: { path: string; given: Given; log: Log },
): Promise<{ worlds: Worlds; data: DataFile }> {
  const { DataFile } = await import("../storage/data-file.ts");
  const notices = {
    info: (sentence: string) => log.info({}, sentence),
    warn: (sentence: string) => log.warn({}, sentence),
  };
  const { data, saved } = await DataFile.open(path, notices);
  const transport = sendDurably(data, worldsOptions.transport);
  const worlds = new Worlds({ ...worldsOptions, transport, log: (event) => data.write(event) }, saved);
  const { assumptions, webhookUrl } = worldsOptions.defaults;
  worlds.default.reconfigure({
    ...(given.assumptions && { assumptions: { ...worlds.default.settings.assumptions, ...assumptions } }),
    ...(given.webhookUrl !== undefined && { webhookUrl }),
  });
  try {
    await data.settled();
  } catch (error) {
    worlds.close();
    await data.close();
    throw error;
  }
  data.belongsTo(worlds);
  return { worlds, data };
}

/** Lets answers out once what they tell is on the disk. */
export function answerSaved(
  data: DataFile,
  { worlds, answer }: { readonly worlds: Worlds; readonly answer: Answer },
): Answer {
  return answerDurably(data, { answer, failed: (request, reason) => notSaved(worlds, request, reason) });
}

/** The answer where the disk did not take the change: whatever was done is undone. */
function notSaved(worlds: Worlds, request: Request, reason: string): Response {
  const form = errorFormAt(request.method, new URL(request.url).pathname);
  return refusalAnswer(worlds.default, new Refusal("INTERNAL_ERROR", reason), form);
}
