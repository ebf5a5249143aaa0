import type { AttemptResult, Transport, WebhookRequest } from "./webhooks/transport.ts";
import type { ScriptedReceiver } from "./scenarios/receiver.ts";

/** Hands attempts to a receiver of this process: no socket, no wall time, the same every time. */
export function transportTo(receiver: ScriptedReceiver): Transport {
  return async function deliver({ url, headers, body }: WebhookRequest): Promise<AttemptResult> {
    const answer = receiver.answer({
      url,
      headers: { ...headers },
      body: Buffer.from(body).toString("utf8"),
    });
    const silent = { responseTruncated: false, durationMs: 0 };
    if ("error" in answer) {
      const message = `No answer came back: ${answer.error}.`;
      return { ...silent, status: null, error: answer.error, message, responseHeaders: {}, responseBody: "" };
    }
    const { status, headers: responseHeaders, body: responseBody } = answer;
    return {
      ...silent,
      status,
      error: errorOf(status),
      message: `The receiver answered ${status}.`,
      responseHeaders,
      responseBody,
    };
  };
}

function errorOf(status: number): AttemptResult["error"] {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "non-2xx";
}
