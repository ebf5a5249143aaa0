import { ActButtons } from "./acts.js";
import { actsFor } from "./form-fields.js";
import { app, nounOf } from "./app.js";
import { Badge, Empty } from "./components.js";
import { formatAddress } from "./address.js";
import { html } from "../../html/preact.js";
import { shortId } from "./text.js";
import { toneOf } from "../../html/components.js";

/** @import { CollectionCount as Collection } from "../../../simulator/api/generated/shapes.ts" */
/** @import { Act } from "./page-data.ts" */
/** @import { Found } from "./overview-view.js" */

/**
 * Counts the objects in a status of that tone, by collection and status.
 *
 * @param {import("../../html/components.js").Tone} tone
 * @param {readonly Collection[]} collections
 */
export function countsOf(tone, collections) {
  return collections.flatMap(({ collection, statuses, ends }) =>
    Object.entries(statuses)
      .filter(([status]) => toneOf(status, [{ ends }]) === tone)
      .map(([status, count]) => ({ collection, status, count })),
  );
}

/** Open objects of one status that are shown. */
export const OPEN_ROWS = 3;

/**
 * Shows the objects that wait for a person, by collection and status. Each row offers the first act that the
 * platform accepts now.
 *
 * @param {{ collections: readonly Collection[], open: readonly Found[], possible: ReadonlyMap<string, readonly Act[]> }} props
 */
export function OpenObjects({ collections, open, possible }) {
  if (open.length === 0)
    return html`<${Empty}>
      Nothing is open. A subscription that waits for its payer, and an order that waits for its payment,
      appear here.
    <//>`;
  return countsOf("waiting", collections).map(({ collection, status, count }) => {
    const own = open.filter((one) => one.collection === collection && one.status === status);
    const [usual] = actsFor(app.acts, collection, status);
    const [, actor] = /^The (payer|receiver|holder)/.exec(usual?.summary ?? "") ?? [];
    const [things, wait] =
      count === 1
        ? [nounOf(collection), "waits for its"]
        : [collection.replaceAll("-", " "), "wait for their"];
    return html`<div key=${`${collection} ${status}`}>
      <p>
        <a href=${formatAddress({ view: collection, query: { status } })}
          >${`${count} ${things}`}${actor !== undefined && ` ${wait} ${actor}`}</a
        >
        ${" "}<${Badge} status=${status} collection=${collection} />
      </p>
      <ul>
        ${own.slice(0, OPEN_ROWS).map(({ id, title, amount }) => {
          const name = title === id ? shortId(id) : title;
          return html`<li class="row line" key=${id}>
            <span>
              <a href=${formatAddress({ view: collection, id })}><bdi>${name}</bdi></a>
              <span class="soft">${amount && ` ${amount}`}</span>
            </span>
            <${ActButtons}
              id=${id}
              collection=${collection}
              status=${status}
              acts=${possible.get(id) ?? []}
              about=${title}
              isShort
            />
          </li>`;
        })}
      </ul>
    </div>`;
  });
}
