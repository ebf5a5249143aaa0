import type { AddressInfo } from "node:net";
import type { Hono } from "hono";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops taking requests, finishes those in hand, and resolves when the last is done. */
  readonly close: () => Promise<void>;
}

/** Opens a port for the app. Rejects with the operating system's error where it cannot. */
export function listen(app: Hono, { port, host }: { port: number; host: string }): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: host }, (address: AddressInfo) => {
      server.off("error", reject);
      const shownHost = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${shownHost}:${address.port}`, port: address.port, close: () => close(server) });
    }) as Server;
    server.once("error", reject);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
