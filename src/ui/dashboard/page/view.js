// @ts-check

/**
 * What a view is given: the sandbox's own API, where the page is, and the ways to change either.
 *
 * @typedef {object} Context
 * @property {import("./api.js").Api} api
 * @property {readonly Act[]} acts every act there is
 * @property {{ view: string, id: string | undefined, query: Record<string, string> }} address
 * @property {(address: import("./address.js").Address) => void} go to another place
 * @property {(query: Record<string, string>) => void} filter the place by this as well, leaving no step to go back to
 * @property {(task: () => Promise<string | undefined>) => Promise<boolean>} perform something that changes the
 *   world: says what came of it or why it was refused, looks at everything anew, and tells whether it was taken
 *
 * @typedef {{ act: string, collection: string, summary: string, from: readonly string[] | null, schema: import("./schema-fields.js").Schema | null }} Act
 *
 * @typedef {import("./dom.js").Section} Section
 *
 * @typedef {object} View
 * @property {string} title
 * @property {(context: Context) => Promise<Section[]>} list
 * @property {(context: Context, id: string) => Promise<Section[]>} [detail] what is shown beside the list of the one chosen
 */

/** Objects of a list that a page shows. */
export const SHOWN_MAX = 200;
