import type { Answer, RequestEnvironment } from "../server/listen.ts";
import type { AnswerDirectly } from "../tools/scenarios/session.ts";
import { parsed } from "../engine/json.ts";
import { PLAN_HEADER } from "../server/request.ts";
import { withQrImages } from "../webhooks/qr-images.ts";

/** The origin of requests that come from this process. */
const IN_PROCESS = "http://localhost";

/** The headers of an ordinary request. Any other could change what is read, or to whom it goes. */
const ORDINARY = new Set(["authorization", "content-type", "idempotency-key", PLAN_HEADER]);

/** Methods, and whether they may have a body. */
const METHODS: Readonly<Record<string, boolean>> = { GET: false, POST: true, PUT: true, DELETE: true };

/** Answers a request as `fetch` does, without the streams of HTTP; only an ordinary one. */
export function answeringDirectly(answer: Answer): AnswerDirectly {
  return async ({ method, path, headers = {}, body }, added) => {
    const { "content-type": type = "application/json" } = headers;
    const takesBody = METHODS[method];
    if (takesBody === undefined || (!takesBody && body !== undefined)) return undefined;
    if (type !== "application/json" || !Object.keys(headers).every((name) => ORDINARY.has(name)))
      return undefined;
    // Other characters may change on their way through UTF-8.
    if (body !== undefined && !/^[\x20-\uD7FF]*$/.test(body)) return undefined;
    const env: RequestEnvironment = { direct: { text: body ?? "" } };
    const response = unlessReset(
      await answer(new Request(urlOf(path), { method, headers: { ...headers, ...added } }), env),
    );
    const written = response.body === null ? withQrImages(env.inbound?.answer ?? "") : await response.text();
    return {
      status: response.status,
      // Few steps look at them.
      get headers() {
        return Object.fromEntries(response.headers);
      },
      body: parsed(written),
    };
  };
}

/** A path needs no parser, and most requests name one. */
export function urlOf(input: string | URL): string | URL {
  return typeof input === "string" && /^\/[^/\\]/.test(input)
    ? IN_PROCESS + input
    : new URL(input, IN_PROCESS);
}

/** An in-process reset (fault: `reset` on the api) rejects as it does in `fetch`. */
export function unlessReset(response: Response): Response {
  if (response.type !== "error") return response;
  throw new TypeError("fetch failed", {
    cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  });
}
