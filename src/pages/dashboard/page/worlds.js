import { formatAddress, parseAddress } from "./address.js";
import { SandboxRefusal, WORLD_HEADER } from "../../../server/control/client.js";

/** @import { World } from "../../../simulator/api/generated/shapes.ts" */

const TOKEN = "sandbank-world-token";

/** The value of `?world=` for a world that was chosen by a token. */
export const BY_TOKEN = "token";

/** Returns the world that `?world=` names. Undefined for the default world. */
export function namedWorld() {
  return new URLSearchParams(location.search).get("world")?.trim() || undefined;
}

/**
 * Opens the page on another world, at the same view. No data of the world before is kept.
 *
 * @param {string} id
 */
export function openWorld(id) {
  location.assign(worldPage(id));
}

/** Returns the address of the page of another world, at the same view. @param {string} id */
export function worldPage(id) {
  const { view } = parseAddress(location.hash);
  const page = id === "default" ? location.pathname : `?world=${encodeURIComponent(id)}`;
  return page + formatAddress({ view });
}

/** Opens the page on the world of a token. The token stays in this tab and out of the address. @param {string} token */
export function openWorldOfToken(token) {
  sessionStorage.setItem(TOKEN, token);
  openWorld(BY_TOKEN);
}

/**
 * Returns the name of the address's world for each request: its id, or a token that this tab keeps. Both are
 * undefined for the default world.
 *
 * @returns {{ world?: string, token?: string | undefined }}
 */
export function requestedWorld() {
  const named = namedWorld();
  if (named === undefined) return {};
  // Without its token the world is unknown. An empty token is refused, and never means the default world.
  if (named === BY_TOKEN) return { token: sessionStorage.getItem(TOKEN) ?? "" };
  // A header takes only some characters, and an id has no others.
  return { world: encodeURIComponent(named) };
}

/** Returns true if a request was refused because its world does not exist. @param {unknown} error */
export function isOfUnknownWorld(error) {
  if (!(error instanceof SandboxRefusal)) return false;
  if (namedWorld() === BY_TOKEN) return error.status === 401;
  return error.details.some(({ field }) => field === WORLD_HEADER);
}

/** Returns the world that the page shows. Undefined until the worlds are known. @param {readonly World[]} worlds */
export function shownWorld(worlds) {
  const { world = "default", token } = requestedWorld();
  return worlds.find(({ id, companies }) =>
    token === undefined ? id === world : companies.some((company) => company.token === token),
  );
}

/** Returns the name of a world for a person. @param {World} world */
export function worldName({ id, name }) {
  return name === id ? name : `${name} (${id})`;
}
