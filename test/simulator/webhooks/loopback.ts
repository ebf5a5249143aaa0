import { once } from "node:events";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import { createServer as createSecureServer } from "node:tls";

import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from "./localhost-certificate.ts";

/** One connection as the receiver's side saw it. */
interface Seen {
  readonly socket: Socket;
  /** The bytes that came, as Latin-1 text, in the pieces they came in. */
  readonly pieces: string[];
  /** Resolves once the connection is gone, with the code of the error that ended it, or "" for a clean end. */
  readonly closed: Promise<string>;
}

/** A real server on a free port, whose connections can be looked at. */
export interface Loopback extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly seen: Seen[];
  /** The next connection that comes, or the first one that came. */
  first(): Promise<Seen>;
}

export interface LoopbackOptions {
  readonly host?: string;
  readonly secure?: boolean;
}

/** Serves raw connections: `onRequest` is called whenever bytes have come, with all that came so far. */
export async function loopback(
  onBytes: (socket: Socket, received: string) => void,
  { host = "127.0.0.1", secure = false }: LoopbackOptions = {},
): Promise<Loopback> {
  const seen: Seen[] = [];
  const server: Server = secure
    ? createSecureServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE })
    : createServer();
  const raw = new Set<Socket>();
  server.on("connection", (socket: Socket) => raw.add(socket));
  server.on(secure ? "secureConnection" : "connection", (socket: Socket) => {
    seen.push(watch(socket, onBytes));
    server.emit("seen");
  });
  server.on("tlsClientError", () => {});
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${secure ? "https" : "http"}://${secure ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}/hook?a=1`,
    seen,
    async first() {
      if (seen.length === 0) await once(server, "seen");
      const [connection] = seen;
      if (connection === undefined) throw new Error("no connection");
      return connection;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of raw) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** A receiver that answers these bytes once it has a whole request, and then ends the connection with `end`. */
export function answering(
  answer: string | Buffer,
  { end = false, ...options }: LoopbackOptions & { end?: boolean } = {},
): Promise<Loopback> {
  return loopback((socket, received) => {
    if (!isWhole(received)) return;
    socket.write(typeof answer === "string" ? Buffer.from(answer, "latin1") : answer);
    if (end) socket.end();
  }, options);
}

/** Whether a whole request has come, by its length or its last chunk. */
export function isWhole(received: string): boolean {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const body = received.slice(headEnd + 4);
  const length = /\r\ncontent-length: (\d+)\r\n/iu.exec(received)?.[1];
  return length === undefined ? body.endsWith("0\r\n\r\n") : body.length >= Number(length);
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await loopback(() => {});
  await server[Symbol.asyncDispose]();
  return server.port;
}

function watch(socket: Socket, onBytes: (socket: Socket, received: string) => void): Seen {
  const pieces: string[] = [];
  let code = "";
  socket.on("error", (error: NodeJS.ErrnoException) => {
    code = error.code ?? error.message;
  });
  socket.on("data", (bytes: Buffer) => {
    pieces.push(bytes.toString("latin1"));
    onBytes(socket, pieces.join(""));
  });
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(code));
  });
  return { socket, pieces, closed };
}
