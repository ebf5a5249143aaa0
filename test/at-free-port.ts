import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { Server } from "node:http";

/** Listens at a free port of this machine. The end also closes all connections. */
export async function atFreePort(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
