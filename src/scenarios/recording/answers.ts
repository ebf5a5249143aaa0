import { isDeepStrictEqual } from "node:util";
import { parsed } from "../../simulator/engine/json.ts";
import type { RecordedAnswer } from "../../server/control/recorded-session.ts";
import { type ReceiverAnswer, type ScriptedAnswer, fullAnswer } from "../receiver.ts";

/** Writes an answer of a receiver in the shortest form that gives exactly the same answer again. */
export function scriptedAnswer({
  status,
  error,
  message,
  responseHeaders,
  responseBody,
  responseTruncated,
}: RecordedAnswer): ScriptedAnswer {
  if (status === null) return silence((error ?? "reset") as "reset", message);
  const truncated = responseTruncated ? { truncated: true } : {};
  const whole: ReceiverAnswer = { status, headers: responseHeaders, body: responseBody, ...truncated };
  const short: readonly ScriptedAnswer[] = [
    status,
    { status, body: parsedOr(responseBody), ...truncated },
    { status, headers: responseHeaders, body: parsedOr(responseBody), ...truncated },
  ];
  const exact: ScriptedAnswer = {
    status,
    exact: true,
    headers: responseHeaders,
    body: responseBody,
    ...truncated,
  };
  return short.find((answer) => isSame(fullAnswer(answer), whole)) ?? exact;
}

/**
 * Returns the answer for a failed attempt. A failure that the built-in receiver causes itself needs no message. A
 * failure that a fault causes needs no answer.
 */
function silence(error: "timeout" | "refused" | "reset", message: string): ScriptedAnswer {
  if (/on purpose \(fault [\w-]+\)/.test(message)) return 200;
  if (!message.includes(`the receiver gave no answer (${error})`)) return { error, message };
  return error === "refused" ? "refuse" : error;
}

/** Returns true if the receiver sends this answer by default. */
export function isUsual(answer: ScriptedAnswer): boolean {
  return answer === 200;
}

/** Returns true if two answers are equal to the last byte: the order of headers shows in the journal. */
function isSame(one: ReceiverAnswer, other: ReceiverAnswer): boolean {
  if ("error" in one || "error" in other) return false;
  return (
    isDeepStrictEqual(one, other) && isDeepStrictEqual(Object.keys(one.headers), Object.keys(other.headers))
  );
}

/** Returns the value of a JSON text that would be written again in the same form. Otherwise the text. */
function parsedOr(text: string): unknown {
  const value = parsed(text);
  return typeof value === "object" && value !== null && JSON.stringify(value) === text ? value : text;
}
