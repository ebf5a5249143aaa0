import { formatAddress, parseAddress } from "./address.js";

/** @import { Company, World } from "../../../api/generated/shapes.ts" */

const TOKEN = "sandbank-world-token";

/** The value of `?world=` for a world that was chosen by a token. */
export const BY_TOKEN = "token";

/** The world that `?world=` names; undefined is the default world. */
export function namedWorld() {
  return new URLSearchParams(location.search).get("world") ?? undefined;
}

/** Opens the page on another world, at the same view. Nothing of the world before is kept. @param {string} id */
export function openWorld(id) {
  const { view } = parseAddress(location.hash);
  const page = id === "default" ? location.pathname : `?world=${encodeURIComponent(id)}`;
  location.assign(page + formatAddress({ view }));
}

/** Opens the page on the world of a token. The token stays in this tab and out of the address. @param {string} token */
export function openWorldOfToken(token) {
  sessionStorage.setItem(TOKEN, token);
  openWorld(BY_TOKEN);
}

/**
 * The token to send for the world that the address names; none for the default world. Rejects where that world does
 * not exist.
 *
 * @param {import("./api.js").Api} api
 */
export async function tokenOfNamedWorld(api) {
  const named = namedWorld();
  if (named === undefined) return undefined;
  if (named === BY_TOKEN) return sessionStorage.getItem(TOKEN) ?? undefined;
  const { data } = await api.ask("GET /sandbox/worlds");
  const world = data.find((/** @type {World} */ { id }) => id === named);
  if (world === undefined)
    throw new Error(`Failed to show the world ${named}: it does not exist. Choose another.`);
  return world.companies.find((/** @type {Company} */ { token }) => token !== undefined)?.token;
}

/**
 * The world that a token leads to; undefined where none of the worlds lists that token.
 *
 * @param {readonly World[]} worlds
 * @param {string | undefined} token
 */
export function worldOfToken(worlds, token) {
  if (token === undefined) return worlds.find(({ id }) => id === "default");
  return worlds.find(({ companies }) => companies.some((company) => company.token === token));
}
