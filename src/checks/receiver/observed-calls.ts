import { ownHost } from "../../server/settings/own-host.ts";
import { forward, openProxy } from "../../base/proxy.ts";

/** The calls of a partner to the sandbox, which can be made to fail. */
export interface ObservedCalls extends AsyncDisposable {
  readonly url: string;
  /** The number of calls with a change. A replay of an idempotent call does not count. */
  readonly writes: number;
  /** The number of all calls. */
  readonly count: number;
  /** While it is true every call is answered with 503. */
  isFailing: boolean;
}

/** Listens at the port that the partner's receiver calls, forwards its calls to the sandbox and counts them. */
export async function observeCalls(target: string, port: number): Promise<ObservedCalls> {
  const calls = { writes: 0, count: 0, isFailing: false };
  const proxy = await openProxy({
    port,
    host: ownHost(),
    answer: async (request, body, response) => {
      calls.count += 1;
      if (calls.isFailing) {
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" });
        response.end('{"error":"INTERNAL_ERROR","message":"Unavailable for a moment","details":[]}');
        return;
      }
      const { status, headers, bytes } = await forward(target, request, body);
      const isRead = request.method === "GET" || request.method === "HEAD";
      const isWrite = !isRead && !request.url?.includes("oauth2");
      if (isWrite && status < 300 && headers["idempotency-replayed"] === undefined) calls.writes += 1;
      response.writeHead(status, headers).end(bytes);
    },
    onError: (_error, response) => response.destroy(),
  });
  return Object.assign(calls, { url: proxy.url, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() });
}
