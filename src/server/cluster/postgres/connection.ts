import type { Log } from "../../../base/log.ts";
import { type ClientConfig, types } from "pg";

/** The place of a database. */
export interface DatabaseOptions {
  /** The URL: `postgres://user:password@host:5432/name`. */
  readonly url: string;
  readonly schema: string;
  readonly log: Log;
}

/** The longest wall time of a connection attempt. After it the connection counts as lost. */
const CONNECT_TIMEOUT_MS = 3_000;

/** Returns the options of a connection. The parameters of the URL have the meaning that they have for libpq. */
export function connectionOptions(url: string): ClientConfig {
  return {
    connectionString: withLibpqParameters(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: "sandbank",
    types: { getTypeParser },
  };
}

/** Without this parameter, `pg` treats `sslmode=require` as `verify-full` and writes a warning of ten lines. */
function withLibpqParameters(url: string): string {
  if (!/[?&]sslmode=/.test(url) || /[?&]uselibpqcompat=/.test(url)) return url;
  return `${url}&uselibpqcompat=true`;
}

/** Reads a bigint as a number: all of ours are counts. */
const getTypeParser = ((type: Parameters<typeof types.getTypeParser>[0], format?: "text") =>
  type === types.builtins.INT8 ? Number : types.getTypeParser(type, format)) as typeof types.getTypeParser;

/** Returns the host, the port and the name of a database, without its user and password. */
export function addressOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "of --data";
  const host = parsed.host || parsed.searchParams.get("host") || "localhost";
  return `${host}${parsed.pathname === "/" ? "" : parsed.pathname}`;
}

/** Network errors, and classes of SQLSTATE that mean a temporary refusal of the database. */
const AWAY =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|08\w{3}|57P0[123]|53300|25006)$/;
const CUT = /^(?:ECONNRESET|EPIPE|57P01)$/;
const AWAY_MESSAGE =
  /timeout|Connection terminated|Client has encountered a connection error|not queryable|Cannot use a pool/i;

/** Returns true if an error means that the database cannot be reached at the moment. */
export function isAway({ code, message }: NodeJS.ErrnoException): boolean {
  return code === undefined ? AWAY_MESSAGE.test(message) : AWAY.test(code);
}

/** Returns true if a connection was cut while it was opened. */
export function wasCut({ code, message }: NodeJS.ErrnoException): boolean {
  return code === undefined ? message === "Connection terminated unexpectedly" : CUT.test(code);
}

const UNKNOWN_AUTHORITY =
  "no known authority has signed its certificate. Add sslrootcert=FILE with that authority, or accept any certificate with sslmode=require";

/** The reasons for codes of the operating system, of TLS and of PostgreSQL. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOENT: "nothing listens there",
  ENOTFOUND: "its host is unknown",
  EAI_AGAIN: "its host is unknown",
  ECONNRESET: "the connection was cut",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "its certificate has expired. Renew the certificate",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another host. Use the name in the certificate, or sslmode=verify-ca",
  "23503": "another server has taken this one for dead",
  "53100": "its disk is full",
  "53300": "it has too many connections",
  "57P01": "it is shutting down",
  "57P03": "it is starting up",
  "25006": "it is read-only",
  "28P01": "the user or the password is wrong",
  "28000": "the user is not admitted",
  "3D000": "there is no such database",
};

/** The reasons for errors without a code, by the message of `pg`. */
const REASONS_OF_MESSAGES: Readonly<Record<string, string>> = {
  "timeout exceeded when trying to connect": "all connections to it are in use",
  "The server does not support SSL connections": "it does not use TLS. Leave sslmode out",
};

/** Returns the reason of a failure, without a full stop. */
export function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (message.startsWith("SECURITY WARNING: Using sslmode=verify-ca"))
    return "sslmode=verify-ca needs the certificate of an authority. Add sslrootcert=FILE";
  return REASONS_OF_MESSAGES[message] ?? REASONS[code ?? ""] ?? message.replace(/\.$/, "");
}
