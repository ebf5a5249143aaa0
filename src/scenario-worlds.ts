import type { AttemptResult, WebhookRequest } from "./webhooks/attempt.ts";
import type { Transport } from "./webhooks/transport.ts";
import type { OpenWorld, OpenWorldOptions, ScenarioWorld } from "./scenarios/world.ts";
import type { ScriptedReceiver } from "./scenarios/receiver.ts";
import { createSandbox } from "./sandbox.ts";

/** Where the webhooks of a scenario go when they go nowhere in particular. */
const RECEIVER_URL = "http://receiver.example/webhooks";

/** Opens a sandbox in this process for each scenario, with the scenario's own receiver in place of the network. */
export function openWorldsHere(fixed: { readonly webhookUrl?: string } = {}): OpenWorld {
  return async function openWorld({ receiver, ...options }: OpenWorldOptions): Promise<ScenarioWorld> {
    const isPartners = fixed.webhookUrl !== undefined;
    const sandbox = await createSandbox({
      ...options,
      mode: "frozen",
      webhookUrl: fixed.webhookUrl ?? RECEIVER_URL,
      ...(!isPartners && { transport: transportTo(receiver) }),
    });
    return {
      fetch: (path, init) => sandbox.fetch(path, init),
      tokens: { acme: "acme-token", globex: "globex-token", initech: "initech-token" },
      receiver: isPartners ? undefined : receiver,
      digest: () => sandbox.digest(),
      [Symbol.asyncDispose]: () => sandbox.close(),
    };
  };
}

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
