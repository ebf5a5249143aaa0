import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createServer } from "node:http";
import { forward } from "./forward.ts";
import { once } from "node:events";

/** The calls of a partner to the sandbox, and the means to let them fail. */
export interface ObservedCalls extends AsyncDisposable {
  readonly url: string;
  /** How many calls changed something: a replay of an idempotent call does not count. */
  readonly writes: number;
  /** How many calls came in, of any kind. */
  readonly count: number;
  /** While it is true every call is answered with 503. */
  isFailing: boolean;
}

/** Listens where the partner's receiver calls the sandbox, hands its calls on and counts them. */
export async function observeCalls(target: string, port: number): Promise<ObservedCalls> {
  let [writes, count, isFailing] = [0, 0, false];
  const server = createServer((request, response) => {
    count += 1;
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      if (isFailing) {
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" });
        response.end('{"error":"INTERNAL_ERROR","message":"Unavailable for a moment","details":[]}');
        return;
      }
      const { status, headers, bytes } = await forward(target, request, body);
      const isWrite =
        request.method !== "GET" && request.method !== "HEAD" && !request.url?.includes("oauth2");
      if (isWrite && status < 300 && headers["idempotency-replayed"] === undefined) writes += 1;
      response.writeHead(status, headers).end(bytes);
    };
    answer().catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get writes() {
      return writes;
    },
    get count() {
      return count;
    },
    get isFailing() {
      return isFailing;
    },
    set isFailing(fails) {
      isFailing = fails;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
