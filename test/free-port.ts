import { type AddressInfo, createServer } from "node:net";
import { once } from "node:events";

/** A port that nobody listens on, for a server that has to know its own before it does. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
