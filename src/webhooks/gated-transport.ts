import type { AttemptResult } from "./attempt.ts";
import type { Transport } from "./transport.ts";

/** What comes of an attempt that may not leave; nobody reads it. */
const NOT_LEFT: AttemptResult = {
  status: null,
  error: "reset",
  message: "The world it belonged to is gone: the attempt did not leave.",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 0,
};

/** A transport that asks, right before an attempt leaves, whether it still may. */
export function gatedTransport(transport: Transport, mayLeave: () => boolean | Promise<boolean>): Transport {
  const { together } = transport;
  const send: Transport = async (request) => ((await mayLeave()) ? transport(request) : NOT_LEFT);
  if (together === undefined) return send;
  return Object.assign(send, {
    together: async (requests: Parameters<typeof together>[0]) =>
      (await mayLeave()) ? together(requests) : requests.map(() => NOT_LEFT),
  });
}
