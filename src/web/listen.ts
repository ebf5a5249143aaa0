import type { AddressInfo } from "node:net";
import type { Answer } from "./durable-answers.ts";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops taking requests, finishes those in hand, and resolves when the last is done. */
  readonly close: () => Promise<void>;
}

/** Opens a port where requests are answered. Rejects with the operating system's error where it cannot. */
export function listen(answer: Answer, { port, host }: { port: number; host: string }): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: answer, port, hostname: host }, (address: AddressInfo) => {
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
