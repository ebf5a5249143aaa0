import { type Transport, transportTo, type WebhookRequest } from "../server/access/webhook-sending.ts";
import { type Handler, handled } from "./handler.ts";
import type { Wall } from "../base/wall.ts";

/** Returns the transport that calls a handler of this process. Requests of one moment are handled at the same time. */
export function handlerTransport(handle: Handler, wall: Wall): Transport {
  const deliver = ({ deadlineMs }: WebhookRequest): Transport =>
    transportTo({
      receive: async ({ url, headers, body, isWhole }) => {
        if (!isWhole) return { error: "reset" };
        return handled(handle, new Request(url, { method: "POST", headers, body }), { deadlineMs, wall });
      },
    });
  return async (requests) => {
    const results = await Promise.all(requests.map((request) => deliver(request)([request])));
    return results.flat();
  };
}
