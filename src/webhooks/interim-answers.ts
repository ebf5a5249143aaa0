import type { Socket } from "node:net";

/** Every 1xx but 101, which ends HTTP on the connection. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/u;
const STATUS = "HTTP/1.1 100 ";
const HEAD_END = "\r\n\r\n";
const INTERIM_MAX_BYTES = 16 * 1024;

/**
 * Makes a fresh socket pass over interim answers, which a client has to accept even where it did not ask for
 * them (RFC 9110, section 15.2), while undici takes a `100 Continue` for the end of the exchange. What follows
 * the last interim head is handed on untouched.
 */
export function withoutInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let pending = Buffer.alloc(0);
  let passed = false;
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (passed || chunk === null) return chunk;
    pending = Buffer.concat([pending, chunk]);
    const rest = afterInterim(pending);
    if (rest === undefined) return null;
    passed = rest.length > 0;
    pending = Buffer.alloc(0);
    return passed ? rest : null;
  };
  return socket;
}

/** What follows the interim heads; undefined while it cannot be told where they end. */
function afterInterim(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (rest.length > 0) {
    const line = rest.toString("latin1", 0, STATUS.length);
    if (!INTERIM.test(line + STATUS.slice(line.length))) return rest;
    if (line.length < STATUS.length) return undefined;
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return rest.length < INTERIM_MAX_BYTES ? undefined : rest;
    rest = rest.subarray(end + HEAD_END.length);
  }
  return rest;
}
