import { lookup as systemLookup } from "node:dns/promises";
import { once } from "node:events";
import { type LookupFunction, type Socket, connect as connectSocket, isIP } from "node:net";
import { type TLSSocket, connect as connectSecurely } from "node:tls";

import { AttemptFailure, codeOf, kindOf } from "./attempt-failure.ts";
import { tlsFailure } from "./tls-failure.ts";
import {
  type Egress,
  type EgressRefusal,
  hostOf,
  isPrivate,
  portOf,
  targetDecision,
  urlDecision,
} from "./egress-guard.ts";

/** The target of a connection. It is read from a URL only once. */
interface Target {
  readonly url: URL;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

/** The longest time for one address of a name if there are further addresses. */
const ADDRESS_TRY_MS = 1_000;

/** Both loopbacks, independent of the hosts file: receivers listen on either (RFC 6761: localhost is loopback). */
const LOCALHOST = ["127.0.0.1", "::1"] as const;

/**
 * Returns the target of a URL, before its name is resolved. Throws an `egress-blocked` failure if the guard refuses it.
 */
export function targetOf(url: string, egress: Egress): Target {
  const parsed = URL.parse(url);
  const verdict = urlDecision(parsed, egress);
  if (parsed === null || !verdict.allowed) throw blocked(parsed?.host ?? "the URL", verdict as EgressRefusal);
  return { url: parsed, host: hostOf(parsed), port: portOf(parsed), secure: parsed.protocol === "https:" };
}

/**
 * Opens a TCP connection to an address that the guard has checked. A name is resolved once, each of its addresses is
 * checked, and only allowed addresses are dialled. So a second resolution cannot deceive the guard. Fails with
 * `egress-blocked`, `dns`, `refused` or `timeout`. Until it is connected, the signal closes it.
 */
export async function connectTcp(target: Target, egress: Egress, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const addresses = await allowedAddresses(target, egress, signal);
  const socket = connectSocket({
    host: target.host,
    port: target.port,
    lookup: pinnedTo(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TRY_MS,
    noDelay: true,
  });
  // The calls on the socket report its errors. A later error does no harm.
  socket.on("error", () => {});
  try {
    await once(socket, "connect", { signal });
    const verdict = targetDecision(socket.remoteAddress ?? "", target.port, egress);
    if (!verdict.allowed && socket.remoteAddress !== undefined) throw blocked(target.host, verdict);
    return socket;
  } catch (error) {
    socket.destroy();
    throw connectFailure(error, target, addresses, egress);
  }
}

/**
 * Opens TLS over an open connection. The certificate is checked against the host of the URL, not against the address.
 * Only HTTP/1.1 is offered. Every error of the handshake is a `tls` failure.
 */
export async function secureTcp(tcp: Socket, { host }: Target, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connectSecurely({
    socket: tcp,
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/u, "") : "",
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
  });
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    tcp.destroy();
    if (signal.aborted) throw tooLate(`the TLS handshake with ${host} was not finished in time`);
    throw tlsFailure(error, host);
  }
}

async function allowedAddresses(target: Target, egress: Egress, signal: AbortSignal): Promise<string[]> {
  let refusal: EgressRefusal | undefined;
  const allowed = (await addressesOf(target.host, egress, signal)).filter((address) => {
    const verdict = targetDecision(address, target.port, egress);
    if (!verdict.allowed) refusal ??= verdict;
    return verdict.allowed;
  });
  if (allowed.length > 0) return allowed;
  throw refusal === undefined ? unresolved(target.host, "no address") : blocked(target.host, refusal);
}

async function addressesOf(host: string, egress: Egress, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  if (/^(?:.+\.)?localhost\.?$/iu.test(host)) return LOCALHOST;
  try {
    return await untilAborted((egress.lookup ?? lookup)(host), signal);
  } catch (error) {
    if (signal.aborted) throw tooLate(`the name ${host} was not resolved in time`);
    throw unresolved(host, codeOf(error) || "the resolver failed");
  }
}

/**
 * Resolves a name with the system's resolver, because DNS does not know names from a hosts file or a container network.
 */
async function lookup(host: string): Promise<readonly string[]> {
  const found = await systemLookup(host, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}

/** Waits for a lookup until the signal aborts. A lookup cannot be aborted, so its late result is ignored. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    promise.then(resolve, reject);
  });
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, pinned);
    return callback(null, pinned[0]?.address ?? "", pinned[0]?.family);
  };
}

/** Returns the failure of a connection that did not open. */
export function connectFailure(
  error: unknown,
  { host, port }: Pick<Target, "host" | "port">,
  addresses: readonly string[],
  egress: Egress,
): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const kind = kindOf(error) === "timeout" ? "timeout" : "refused";
  const found = kind === "timeout" ? "did not accept the connection in time" : "refuses connections";
  // In hosted mode the answer may reach a stranger. The stranger must not learn the inner addresses of the name.
  const tried = egress.mode === "local" && isIP(host) === 0 ? [`tried ${addresses.join(" and ")}`] : [];
  const details = [codeOf(error), ...tried].filter((detail) => detail !== "" && detail !== "ABORT_ERR");
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const clause = `${address} ${found}${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
  if (kind === "timeout") return tooLate(clause);
  return new AttemptFailure(
    kind,
    clause,
    egress.isContained === true ? containerAdvice(addresses) : undefined,
  );
}

const LOOPBACK = /^(?:127\.|::1$)/;

const CONTAINER_ADVICE =
  "The sandbox runs in a container, and this address is the container itself. If the receiver runs in it too, start the receiver. Otherwise use the name of the receiver's service, or for the host machine host.docker.internal (Podman: host.containers.internal).";

const OUTSIDE_ADVICE =
  "The sandbox runs in a container. Start the receiver, let it listen on 0.0.0.0 and not only on 127.0.0.1, or correct the host and port in the webhook URL.";

/** Returns the fix for a refusal inside a container. Undefined for public addresses. */
function containerAdvice(addresses: readonly string[]): string | undefined {
  if (addresses.every((address) => LOOPBACK.test(address))) return CONTAINER_ADVICE;
  return addresses.every(isPrivate) ? OUTSIDE_ADVICE : undefined;
}

function tooLate(found: string): AttemptFailure {
  return new AttemptFailure("timeout", found, "Check that the host can be reached from here.");
}

function blocked(host: string, { reason, isLiftable }: EgressRefusal): AttemptFailure {
  const found = `the egress guard refuses ${host}, because ${reason}`;
  return new AttemptFailure("egress-blocked", found, isLiftable === true ? LIFTING_ADVICE : undefined);
}

const LIFTING_ADVICE = "Register another URL, or change the egress mode or its allow-list.";

/** The names of the host machine inside a container. */
const HOST_NAMES: ReadonlySet<string> = new Set(["host.docker.internal", "host.containers.internal"]);

const HOST_ADVICE =
  "This name exists only inside a container. With Docker on Linux start the sandbox with --add-host=host.docker.internal:host-gateway. With Podman use host.containers.internal. Outside a container use 127.0.0.1.";

function unresolved(host: string, reason: string): AttemptFailure {
  const advice = HOST_NAMES.has(host) ? HOST_ADVICE : undefined;
  return new AttemptFailure("dns", `the name ${host} could not be resolved (${reason})`, advice);
}
