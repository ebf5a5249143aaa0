// @ts-check
import { el } from "./dom.js";
import { formatAddress } from "./address.js";
import { heading, nothing } from "./pieces.js";
import { matches } from "./words.js";
import { searchField } from "./list-pieces.js";
import { timeline } from "./timeline.js";

/** @typedef {import("./view.js").Context} Context */
/** @typedef {import("./why.js").Line} Line */

/** Journal entries that are looked back on, unless the address says since when. */
const ENTRIES_MAX = 400;

/** What happened in the whole world, the newest first. @type {import("./view.js").View} */
export const timelineView = { title: "Timeline", list: sections };

/** @param {Context} context */
async function sections(context) {
  const { api, address } = context;
  const { q = "", since = "" } = address.query;
  const { next } = await api.get("/timeline?since=999999999");
  const from = /^\d{1,9}$/.test(since) ? Number(since) : Math.max(1, next - ENTRIES_MAX);
  const { data } = await api.get(`/timeline?since=${from}`);
  const lines = data
    .filter((/** @type {Line} */ { what, cause, objectId }) => matches(q, what, cause, objectId ?? ""))
    .reverse()
    .slice(0, 2 * ENTRIES_MAX);
  return [
    {
      key: "timeline.head",
      data: [address.query, from > 1],
      build: () => [
        heading("Timeline"),
        el("div.filters", {}, searchField(context, "what happened")),
        from > 1 &&
          el(
            "p.tally",
            {},
            `From entry ${from} of the journal on. `,
            el(
              "a",
              { href: formatAddress({ view: "timeline", query: { q, since: "1" } }) },
              "From the beginning",
            ),
          ),
      ],
    },
    {
      key: "timeline.lines",
      data: lines,
      build: () =>
        lines.length === 0
          ? nothing("Nothing happened that matches.")
          : timeline(api, lines, { whole: true }),
    },
  ];
}
