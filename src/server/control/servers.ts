import { type Endpoint, Reply } from "./endpoint.ts";
import type { World } from "../../simulator/worlds/world.ts";

/** The endpoints of a server that do not depend on its worlds. */
export const serverEndpoints = {
  showHealth: {
    method: "GET",
    path: "/sandbox/health",
    tag: "Servers",
    summary: "Show that the server is up",
    access: "anyone",
    response: "Health",
    description: "`stoppedWorlds` lists worlds of this server that a bug has stopped. Other worlds run on.",
    answer: ({ servers, worlds }) => health(servers.unavailable, worlds.all()),
  } satisfies Endpoint,
  showReadiness: {
    method: "GET",
    path: "/sandbox/ready",
    tag: "Servers",
    summary: "Show if the server can take requests",
    description:
      "503 while the server starts or stops, has no database connection, or cannot write its data file.",
    access: "anyone",
    response: "Health",
    answer: async ({ servers }) => health(await servers.unready()),
  } satisfies Endpoint,
  listServers: {
    method: "GET",
    path: "/sandbox/servers",
    tag: "Servers",
    summary: "List the servers of the sandbox",
    access: "admin",
    response: "RunningServerList",
    answer: async ({ servers }) => ({
      data: (await servers.list()).map(({ id, url, version, startedAt, seenAt, worlds }) => ({
        id,
        url,
        version,
        startedAt: startedAt.toISOString(),
        seenAt: seenAt.toISOString(),
        worlds,
      })),
    }),
  } satisfies Endpoint,
};

function health(reason: string | undefined, worlds: readonly World[] = []): object {
  if (reason === undefined) {
    const stoppedWorlds = worlds.flatMap(({ id, stopped }) => (stopped ? [{ id, reason: stopped }] : []));
    return { status: "ok", ...(stoppedWorlds.length > 0 && { stoppedWorlds }) };
  }
  const body = { status: "unavailable", error: "INTERNAL_ERROR", message: reason, details: [] };
  return new Reply(body, { status: 503, headers: { "retry-after": "1" } });
}
