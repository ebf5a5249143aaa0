import { isRecord } from "../../engine/json.ts";
import type { Played } from "./played.ts";

/** More notes do not help anyone. */
const NOTES_MAX = 5;

/**
 * Returns refusals although nothing goes wrong: webhooks that the partner refused at first, and calls that the platform
 * refused.
 */
export function refusalNotes({ deliveries, calls }: Played): string[] {
  const webhooks = deliveries.flatMap(({ event, attempts, status }) => {
    const refused = attempts.find(({ status: answer, injected }) => {
      return injected.length === 0 && (answer === null || answer >= 300);
    });
    if (refused === undefined || status !== "delivered") return [];
    const found = refused.status ?? refused.error ?? "no answer";
    return [`Although nothing goes wrong, your system answered ${event} with ${found} at first.`];
  });
  const refusals = calls.flatMap(({ operation, status, isCarriedOut, step, answer }) => {
    if (step !== undefined || isCarriedOut || status === null || status < 400) return [];
    const message = isRecord(answer) && typeof answer["message"] === "string" ? `: ${answer["message"]}` : "";
    return [
      `Although nothing goes wrong, the platform refused ${operation} with ${status}${message}.`.replace(
        "..",
        ".",
      ),
    ];
  });
  return [...new Set([...webhooks, ...refusals])].slice(0, NOTES_MAX);
}
