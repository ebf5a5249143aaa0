import { atFreePort } from "../at-free-port.ts";
import { createServer } from "node:http";
import type { Receiver } from "./receiver.ts";

/** Serves a receiver at a port of this machine: `/webhooks`, `/state`, `/state/{id}` for one row, and `/reset`. */
export async function serve(receiver: Receiver): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "GET", url: path = "" } = request;
      const [, id] = /^\/state(?:\/(.*))?$/.exec(path) ?? [];
      if (path === "/state" || id !== undefined) {
        response.setHeader("content-type", "application/json");
        return response.end(JSON.stringify(id === undefined ? receiver.probe() : receiver.rowOf(id)));
      }
      if (path === "/reset") {
        receiver.reset();
        return response.end("{}");
      }
      const body = Buffer.concat(await request.toArray());
      const headers = request.headers as Record<string, string>;
      const answer = await receiver.receive(
        new Request("http://receiver.example/", { method, headers, body }),
      );
      return response.writeHead(answer.status).end(await answer.text());
    })().catch(() => response.destroy());
  });
  return atFreePort(server);
}
