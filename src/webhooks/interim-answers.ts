import type { Socket } from "node:net";
import { AttemptFailure } from "./attempt-failure.ts";

/** Every 1xx but 101, which ends HTTP on the connection. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/u;
const STATUS = "HTTP/1.1 100 ";
const HEAD_END = "\r\n\r\n";
/** A client passes over interim answers, so without a bound they could go on for ever. */
const INTERIM_MAX = 16;
const INTERIM_MAX_BYTES = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Makes a socket pass over a few interim answers, which a client has to accept even if it did not ask for them
 * (RFC 9110, section 15.2): undici takes a `100 Continue` for the end of the exchange, and Node reads thousands of them
 * in one turn. What follows the last interim head is handed on untouched, until the next request is written. A flood of
 * them ends the connection.
 */
export function withoutInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let pending = NOTHING;
  let passed = false;
  let interim = { count: 0, bytes: 0 };
  const write = socket.write.bind(socket) as (...sent: unknown[]) => boolean;
  socket.write = (...sent: unknown[]): boolean => {
    passed = false;
    interim = { count: 0, bytes: 0 };
    return write(...sent);
  };
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (passed || chunk === null) return chunk;
    pending = Buffer.concat([pending, chunk]);
    while (mayBeInterim(pending)) {
      if (pending.length < STATUS.length) return null;
      const end = pending.indexOf(HEAD_END);
      const head = end < 0 ? pending.length : end + HEAD_END.length;
      if (interim.count >= INTERIM_MAX || interim.bytes + head > INTERIM_MAX_BYTES) {
        socket.destroy(floodOfInterim());
        return null;
      }
      if (end < 0) return null;
      interim = { count: interim.count + 1, bytes: interim.bytes + head };
      pending = pending.subarray(head);
    }
    passed = true;
    const rest = pending;
    pending = NOTHING;
    return rest;
  };
  return socket;
}

function floodOfInterim(): AttemptFailure {
  const found = `the receiver sent more than ${INTERIM_MAX} interim answers (1xx), or very long ones, and no final one`;
  return new AttemptFailure("protocol", found, "Answer with a final status, such as 200.");
}

/** Whether the bytes begin with an interim head, as far as they go. */
function mayBeInterim(bytes: Buffer): boolean {
  const line = bytes.toString("latin1", 0, STATUS.length);
  return INTERIM.test(line + STATUS.slice(line.length));
}
