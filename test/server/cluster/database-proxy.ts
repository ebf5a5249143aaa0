import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { once } from "node:events";

/** What becomes of a statement, or of its answer, on its way. */
export type Passage = "pass" | "cut";

/** Decides about a statement before the database gets it, and about its answer before the server gets it. */
export type Interceptor = (statement: string, moment: "sent" | "answered") => Promise<Passage> | Passage;

/** A proxy in front of PostgreSQL that can hold a statement or its answer, or cut the connection there. */
export interface DatabaseProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Decides about each statement from now on; by default all of them pass. */
  intercept: Interceptor;
  /** Cuts every connection. */
  cutAll(): void;
}

/** The types of messages after which a client waits for the database. */
const ENDS = new Set(["S", "Q", "p", "X"]);

/** Opens a proxy to the database at `url`; it is closed through `onEnd`. */
export async function startDatabaseProxy(
  url: string,
  onEnd: (end: () => void) => void,
): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    const passing = [client, database] as const;
    for (const socket of passing) {
      sockets.add(socket.setNoDelay(true));
      const other = socket === client ? database : client;
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    void pass(client, database, (statement, moment) => proxy.intercept(statement, moment)).catch(() => {
      client.destroy();
      database.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: DatabaseProxy = {
    url: proxied.href,
    intercept: () => "pass",
    cutAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
  onEnd(() => {
    server.close();
    proxy.cutAll();
  });
  return proxy;
}

/** Passes on what a client and the database say in turn: a statement with all its messages, then the whole answer. */
async function pass(client: Socket, database: Socket, intercept: Interceptor): Promise<void> {
  const asked = messagesOf(client, { startsUntyped: true });
  const answered = messagesOf(database, { startsUntyped: false });
  const cut = (): void => {
    client.destroy();
    database.destroy();
  };
  for (;;) {
    const request: Buffer[] = [];
    let statement: string | undefined;
    for (;;) {
      const { value, done } = await asked.next();
      if (done === true) return cut();
      request.push(value);
      statement ??= statementOf(value);
      if (value[0] === 0 || ENDS.has(typeOf(value))) break;
    }
    if (statement !== undefined && (await intercept(statement, "sent")) === "cut") return cut();
    database.write(Buffer.concat(request));
    if (typeOf(request[0]!) === "X") return;
    const answer: Buffer[] = [];
    for (;;) {
      const { value, done } = await answered.next();
      if (done === true) return cut();
      answer.push(value);
      if (typeOf(value) === "Z" || asksForPassword(value)) break;
    }
    if (statement !== undefined && (await intercept(statement, "answered")) === "cut") return cut();
    client.write(Buffer.concat(answer));
  }
}

/** The messages of a connection, each as it came. What a client begins with has no type. */
async function* messagesOf(
  socket: Socket,
  { startsUntyped }: { readonly startsUntyped: boolean },
): AsyncGenerator<Buffer, undefined> {
  let rest = Buffer.alloc(0);
  let head = startsUntyped ? 0 : 1;
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= head + 4 && rest.length >= head + rest.readInt32BE(head)) {
      const end = head + rest.readInt32BE(head);
      yield rest.subarray(0, end);
      rest = rest.subarray(end);
      head = 1;
    }
  }
  return undefined;
}

const AUTHENTICATED = 0;
const LAST_OF_SASL = 12;

function asksForPassword(message: Buffer): boolean {
  return typeOf(message) === "R" && ![AUTHENTICATED, LAST_OF_SASL].includes(message.readInt32BE(5));
}

function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0]!);
}

/** The statement of the message with which a client begins. */
export const CONNECT = "connect";

/** What a message says of the statement: the name in the comment before it, or its text if it has no name. */
function statementOf(message: Buffer): string | undefined {
  if (message[0] === 0) return CONNECT;
  const [first = "", second = ""] = message.toString("utf8", 5).split("\0", 2);
  switch (typeOf(message)) {
    case "Q":
      return nameOf(first);
    case "P":
      return nameOf(second);
    default:
      return undefined;
  }
}

function nameOf(text: string): string {
  return /^\/\* ([\w ]+) \*\//.exec(text)?.[1] ?? text;
}

/** Holds the next such statement before the database gets it, or the answer to it. Earlier decisions stay in force. */
export function hold(
  proxy: DatabaseProxy,
  held: string,
  when: "sent" | "answered" = "answered",
): { readonly arrived: Promise<void>; readonly release: () => void } {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  const before = proxy.intercept;
  proxy.intercept = async (statement, moment): Promise<Passage> => {
    if (statement === held && moment === when && !isHeld) {
      isHeld = true;
      arrived.resolve();
      await released.promise;
    }
    return before(statement, moment);
  };
  return { arrived: arrived.promise, release: released.resolve };
}
