import { connect, type Socket } from "node:net";

/** Opens a connection to the host and the port of a URL. */
export function connectTo(url: string): Socket {
  const { hostname, port, protocol } = new URL(url);
  return connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
  });
}
