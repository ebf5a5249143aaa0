import type { ControlRoutes, ServerRequest } from "./control.ts";
import type { Servers } from "../servers.ts";
import { jsonAnswer } from "../answer.ts";

/** What can be asked of a server, whatever its worlds do. */
export function serverRoutes(servers: Servers): ControlRoutes {
  return {
    "GET /health": {
      summary: "Show that the server is up",
      answerServer: (request) => stateAnswer(request, servers.unavailable),
    },
    "GET /ready": {
      summary: "Show whether the server should be sent requests",
      answerServer: (request) => stateAnswer(request, servers.unready),
    },
    "GET /servers": {
      summary: "List the servers of the sandbox",
      answerServer: async () => ({
        data: (await servers.list()).map(({ id, url, version, startedAt, seenAt, worlds }) => ({
          id,
          url,
          version,
          startedAt: startedAt.toISOString(),
          seenAt: seenAt.toISOString(),
          worlds,
        })),
      }),
    },
  };
}

function stateAnswer({ worlds, inbound }: ServerRequest, reason: string | undefined): object {
  if (reason === undefined) return { status: "ok" };
  const body = { status: "unavailable", error: "INTERNAL_ERROR", message: reason, details: [] };
  return jsonAnswer(worlds, 503, body, { "retry-after": "1" }, inbound);
}
