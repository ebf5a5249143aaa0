// A place on the page is kept after the `#`, so that it can be bookmarked, shared and visited again.

/** The view that the page opens with. */
export const HOME = "overview";

/**
 * Reads `#/orders/the-id?q=shop`.
 *
 * @param {string} hash
 * @returns {{ view: string, id: string | undefined, query: Record<string, string> }}
 */
export function parseAddress(hash) {
  const [path = "", search = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const [view = "", id] = path.split("/", 2).map(decoded);
  return { view: view || HOME, id: id || undefined, query: Object.fromEntries(new URLSearchParams(search)) };
}

/**
 * Writes an address as `parseAddress` reads it. Leaves out empty values of the query.
 *
 * @param {import("./page-data.ts").Address} address
 */
export function formatAddress({ view, id, query = {} }) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = new URLSearchParams(given).toString();
  const path =
    id === undefined ? encodeURIComponent(view) : `${encodeURIComponent(view)}/${encodeURIComponent(id)}`;
  return `#/${path}${search === "" ? "" : `?${search}`}`;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
