// @ts-check
// The one client of the sandbox's own API, in Node and in browsers: a page loads this file as it is.

/** @import { ControlCalls } from "./generated/calls.ts" */
/** @import { World } from "../../simulator/api/generated/shapes.ts" */

/** As it is at import: a test may replace it later. */
const { fetch: ownFetch } = globalThis;

/** The header with the admin token; `Authorization` names a company and its world. */
export const ADMIN_TOKEN_HEADER = "x-admin-token";

/** The header that names the world of a request by its id, whatever token the request has. */
export const WORLD_HEADER = "x-sandbox-world";

/** The header with the id of a request, in the request and in its answer. */
export const REQUEST_ID_HEADER = "x-request-id";

/** The user agent of the calls of the platform API that sandbank's own commands make: they are not a partner's. */
export const OWN_AGENT = "sandbank";

/** The reason why a call has no answer, in a sentence for a person. */
export class ControlFailure extends Error {
  /** The status of a refusal. Undefined if the server did not answer. @type {number | undefined} */
  status;

  /**
   * @param {string} message
   * @param {{ status?: number, cause?: unknown }} [options]
   */
  constructor(message, { status, cause } = {}) {
    super(message, { cause });
    this.name = "ControlFailure";
    this.status = status;
  }
}

/** The platform or the sandbox refused a call. The message contains the reason and the fix. */
export class SandboxRefusal extends ControlFailure {
  /** The HTTP status of the answer. @override @type {number} */
  status;
  /** The code of the error, such as `INVALID_REQUEST`. @type {string} */
  error;
  /** The problems, each with its field. @type {readonly { field: string, issue: string, description: string }[]} */
  details;

  /**
   * @param {any} answer The body of the answer.
   * @param {number} status
   */
  constructor(answer, status) {
    super(sentenceOf(answer), { status });
    this.name = "SandboxRefusal";
    this.status = status;
    this.error = String(answer.error ?? "");
    this.details = answer.details ?? [];
  }
}

/**
 * The endpoints whose answer has a list, by its name. An answer without the list comes from another server.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const LISTS = {
  data: [
    "GET /sandbox/acts",
    "GET /sandbox/assumptions",
    "GET /sandbox/clock/due",
    "GET /sandbox/clock/followers",
    "GET /sandbox/deliveries",
    "GET /sandbox/faults",
    "GET /sandbox/inbox",
    "GET /sandbox/lints",
    "GET /sandbox/pact/states",
    "GET /sandbox/plans",
    "GET /sandbox/requests",
    "GET /sandbox/resources",
    "GET /sandbox/resources/{collection}",
    "GET /sandbox/scenarios",
    "GET /sandbox/servers",
    "GET /sandbox/snapshots",
    "GET /sandbox/timeline",
    "GET /sandbox/worlds",
  ],
  companies: ["POST /sandbox/fork", "POST /sandbox/worlds"],
};

/** The value of `last` for all entries of a list. */
export const EVERY = 999_999_999;

/**
 * @typedef {object} ControlOptions
 * @property {string} [url] The address of the server; default: that of the page.
 * @property {(request: Request) => Response | Promise<Response>} [fetch] A sandbox of this process answers itself;
 *   default: over the network.
 * @property {string | (() => string | null | undefined) | undefined} [adminToken] Sent to `/sandbox` alone.
 * @property {string | undefined} [world] The id of the world; default: that of the token, or the default world.
 * @property {string | (() => string | undefined) | undefined} [token] The token of a company.
 * @property {string | undefined} [agent] The user agent of requests without one.
 */

/** @typedef {ReturnType<typeof controlClient>} ControlClient */

/**
 * Keeps the request of each body whose reading may be aborted. A request that is collected passes no abort on to its answer (undici).
 *
 * @type {WeakMap<ReadableStream, Request>}
 */
const kept = new WeakMap();

/**
 * Calls the sandbox's own API.
 *
 * ```ts
 * const client = controlClient({ url: "http://127.0.0.1:4010", world: "w3" });
 * const { data } = await client.ask("GET /sandbox/deliveries", { status: "retrying", last: 10 });
 * ```
 *
 * @param {ControlOptions} [options]
 */
export function controlClient({ url = "", fetch = ownFetch, adminToken, world, token, agent } = {}) {
  const base = url.replace(/\/+$/, "");

  /**
   * Sends a request to any path of the server, with the header that names the world and the token that opens
   * `/sandbox`.
   * @param {string} path
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async function send(path, init = {}) {
    const request = new Request(base + path, init);
    const { headers } = request;
    if (path.startsWith("/sandbox/") && !headers.has("accept")) headers.set("accept", "application/json");
    const admin = typeof adminToken === "function" ? adminToken() : adminToken;
    if (admin && path.startsWith("/sandbox/")) headers.set(ADMIN_TOKEN_HEADER, admin);
    if (world !== undefined) headers.set(WORLD_HEADER, world);
    if (agent !== undefined && !headers.has("user-agent")) headers.set("user-agent", agent);
    const bearer = typeof token === "function" ? token() : token;
    if (bearer !== undefined && !headers.has("authorization"))
      headers.set("authorization", `Bearer ${bearer}`);
    const response = await fetch(request);
    if (init.signal && response.body !== null) kept.set(response.body, request);
    return response;
  }

  /**
   * Calls an endpoint and returns the whole answer. Rejects with a `ControlFailure` if the call is refused, or if the
   * server does not answer.
   * @template {keyof ControlCalls} E
   * @param {E} endpoint
   * @param {ControlCalls[E]["input"]} [input] Parameters of the path, the query and the fields of the body in one.
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async function open(endpoint, input, init) {
    const reach = (/** @type {string} */ path, /** @type {RequestInit} */ sent) =>
      send(path, sent).catch(unreachable);
    return call(reach, endpoint, input, init, noSandbox);
  }

  /** @param {any} error @returns {never} */
  function unreachable(error) {
    const { code = error.name === "TimeoutError" ? "no answer in time" : undefined } = error.cause ?? {};
    const found = `nothing answers there${proxyText(base)}${code === undefined ? "" : ` (${code})`}`;
    const advice = 'Start a server with "sandbank serve", or correct the address.';
    throw new ControlFailure(`Failed to reach ${base}: ${found}. ${advice}`, { cause: error });
  }

  /** @param {number} status */
  function noSandbox(status) {
    const message = `Failed to use ${base}: it answered with ${status}${proxyText(base)}, which no sandbank does. Correct the address.`;
    return new ControlFailure(message, { status });
  }

  /**
   * Calls an endpoint and returns its JSON. Rejects as `open` does.
   *
   * @template {keyof ControlCalls} E
   * @param {E} endpoint
   * @param {ControlCalls[E]["input"]} [input]
   * @param {RequestInit} [init]
   * @returns {Promise<ControlCalls[E]["answer"]>}
   */
  async function ask(endpoint, input, init) {
    const response = await open(endpoint, input, init);
    const answer = parsed(await response.text());
    const list = Object.keys(LISTS).find((name) => LISTS[name]?.includes(endpoint));
    // Another format, such as HAR, has no list.
    const isListed = list !== undefined && /** @type {any} */ (input)?.format === undefined;
    if (answer === undefined || (isListed && !Array.isArray(answer[list]))) throw noSandbox(response.status);
    return answer;
  }

  /**
   * Every world with its credentials. Rejects as `open` does.
   *
   * @returns {Promise<readonly World[]>}
   */
  async function worlds() {
    return (await ask("GET /sandbox/worlds")).data;
  }

  return { url: base, send, open, ask, worlds };
}

/**
 * Names the proxy that a request to an address takes by the environment of Node; empty without a proxy.
 *
 * @param {string} base
 */
function proxyText(base) {
  /** @type {Record<string, string | undefined>} */
  const environment = /** @type {any} */ (globalThis).process?.env ?? {};
  const { NODE_USE_ENV_PROXY: isUsed, NODE_OPTIONS: options = "" } = environment;
  if (!URL.canParse(base) || (!isUsed && !options.includes("--use-env-proxy"))) return "";
  const { hostname, protocol } = new URL(base);
  const exempt = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").split(/[\s,]+/);
  if (
    exempt.some(
      (name) =>
        name === "*" || hostname === name || (name && hostname.endsWith(`.${name.replace(/^\*?\./, "")}`)),
    )
  )
    return "";
  const name = `${protocol.slice(0, -1)}_proxy`;
  const proxy = environment[name] ?? environment[name.toUpperCase()];
  if (proxy === undefined || !URL.canParse(proxy)) return "";
  return ` through the proxy ${new URL(proxy).host} (${name}; NO_PROXY exempts hosts)`;
}

/**
 * Calls an operation of the platform API, or an endpoint of the sandbox's own API, and returns the whole answer.
 * Rejects with a `SandboxRefusal` if the call is refused.
 *
 * @param {(path: string, init: RequestInit) => Promise<Response>} send
 * @param {string} endpoint Its method and its path.
 * @param {object | string} [input] Parameters of the path, the query and the fields of the body in one.
 * @param {RequestInit} [init]
 * @param {(status: number) => Error} [foreign] Returns the failure if a refusal comes from another server.
 * @returns {Promise<Response>}
 */
export async function call(send, endpoint, input, init = {}, foreign) {
  const { path, ...request } = requestOf(endpoint, input);
  const headers = { .../** @type {any} */ (request.headers), .../** @type {any} */ (init.headers) };
  const response = await send(path, { ...request, ...init, headers });
  if (response.ok) return response;
  const { status } = response;
  const answer = parsed(await response.text());
  if (foreign !== undefined && answer?.message === undefined) throw foreign(status);
  // Refunds have a list of sentences as their error body.
  const body = Array.isArray(answer) ? { message: answer.join(" ") } : answer;
  throw new SandboxRefusal(body ?? { message: `The sandbox answered with ${status}.` }, status);
}

/**
 * Returns the request of a call. Fields that are not parameters of the path become the query of a GET, and otherwise
 * the body.
 * @param {string} endpoint
 * @param {object | string} [input]
 * @returns {{ path: string, method: string, headers?: Record<string, string>, body?: string }}
 */
export function requestOf(endpoint, input = {}) {
  const [method = "", pattern = ""] = endpoint.split(" ");
  if (typeof input === "string") return { method, path: pattern, body: input };
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  let path = pattern.replaceAll(/\{(\w+)\*?\}/g, (_, /** @type {string} */ name) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  if (method !== "GET") {
    const body = rest.size === 0 ? {} : { body: JSON.stringify(Object.fromEntries(rest)) };
    return { method, path, headers: { "content-type": "application/json" }, ...body };
  }
  const query = new URLSearchParams();
  for (const [name, value] of rest) query.set(name, String(value));
  if (query.size > 0) path += `?${query.toString()}`;
  return { method, path };
}

/**
 * The object that a text is as JSON; undefined for any other text.
 *
 * @param {string} text
 * @returns {any}
 */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the problems in the words of an error body: `description` of each problem, `message`, or `error_description`
 * of the token endpoint.
 * @param {any} answer
 * @returns {string}
 */
export function sentenceOf(answer) {
  const { details = [], message, error_description } = answer ?? {};
  return details.length > 0
    ? details.map((/** @type {any} */ { description }) => description).join(" ")
    : String(message ?? error_description);
}

/**
 * The events of a stream of server-sent events. One without data only gives the place that was reached, if at all.
 *
 * @param {AsyncIterable<Uint8Array> | null} body
 * @returns {AsyncGenerator<{ type: string, id: string | undefined, data: string | undefined }>}
 */
export async function* streamEvents(body) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (/** @type {string} */ name) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      yield { type: field("event") ?? "message", id: field("id"), data: field("data") };
    }
  }
}
