// @ts-check

/**
 * A world with the credentials that lead into it.
 *
 * @typedef {{ id: string, name: string, clock: { mode: "running" | "frozen", now: string }, companies: { id: string, clientId: string, clientSecret: string, token?: string, webhookSecret: string }[] }} World
 */

const TOKEN = "sandbank-world-token";

/** The choice that stands for a token somebody typed. */
export const TYPED = "token";

/** The world that the address of the page names; undefined is the default one. */
export function namedWorld() {
  return new URLSearchParams(location.search).get("world") ?? undefined;
}

/**
 * Opens the page on another world. Nothing of the one before is kept.
 *
 * @param {string} id
 */
export function chooseWorld(id) {
  location.assign(id === "default" ? location.pathname : `?world=${encodeURIComponent(id)}`);
}

/**
 * Opens the page on the world that a token leads into. The token stays in this tab and out of the address.
 *
 * @param {string} token
 */
export function chooseToken(token) {
  sessionStorage.setItem(TOKEN, token);
  chooseWorld(TYPED);
}

/**
 * The token with which to ask about the world that the address names; none for the default world. Rejects where
 * there is no such world any more.
 *
 * @param {import("./api.js").Api} api
 */
export async function tokenOfNamedWorld(api) {
  const named = namedWorld();
  if (named === undefined) return undefined;
  if (named === TYPED) return sessionStorage.getItem(TOKEN) ?? undefined;
  const { data } = await api.get("/worlds");
  const world = data.find((/** @type {World} */ { id }) => id === named);
  if (world === undefined)
    throw new Error(`Failed to show the world ${named}: there is none. Choose another.`);
  return tokenOf(world);
}

/** @param {World} world */
function tokenOf({ companies }) {
  return companies.find(({ token }) => token !== undefined)?.token;
}

/**
 * Which of the worlds a token leads into, as far as their tokens are listed.
 *
 * @param {readonly World[]} worlds
 * @param {string | undefined} token
 */
export function chosenWorld(worlds, token) {
  if (token === undefined) return worlds.find(({ id }) => id === "default");
  return worlds.find(({ companies }) => companies.some((company) => company.token === token));
}
