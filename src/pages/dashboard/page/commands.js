import { app } from "./app.js";
import { quoted } from "../../../server/control/shell.js";
import { shownWorld } from "./worlds.js";

/**
 * Returns the first company of the shown world. The commands of this page call in its name. Undefined until it is
 * known.
 */
export function shownCompany() {
  const [company] = shownWorld(app.worlds)?.companies ?? [];
  return company;
}

/**
 * Returns the address of the reference, with the credentials and objects of the shown world.
 *
 * @param {string} [operation] the operation that it opens at
 */
export function referencePage(operation) {
  const { id = "default" } = shownWorld(app.worlds) ?? {};
  const page = id === "default" ? "/docs" : `/docs?world=${encodeURIComponent(id)}`;
  return operation === undefined ? page : `${page}#${operation}`;
}

/**
 * Returns a call of the platform API as a command for a terminal, with the token of this world.
 *
 * @param {string} method
 * @param {string} path
 * @param {string} [body]
 * @param {Record<string, string>} [headers] those of a call that was made; of these only some matter
 */
export function callCommand(method, path, body, headers = {}) {
  const kept = Object.entries(headers).filter(([name]) => KEPT.has(name));
  const sent = [["authorization", `Bearer ${shownCompany()?.token ?? "TOKEN"}`], ...kept];
  return [
    `curl -s${method === (body === undefined ? "GET" : "POST") ? "" : ` -X ${method}`} ${quoted(location.origin + path)}`,
    ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** Headers that influence the answer, in addition to the token. */
const KEPT = new Set(["content-type", "idempotency-key", "x-sandbox-plan"]);
