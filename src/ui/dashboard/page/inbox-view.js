// @ts-check
import { copyable, heading, nothing, table, when } from "./pieces.js";
import { el } from "./dom.js";

/** The confirmation codes that went out by e-mail and SMS. @type {import("./view.js").View} */
export const inboxView = { title: "Inbox", list: sections };

/** @param {import("./view.js").Context} context */
async function sections({ api }) {
  const { data } = await api.get("/inbox");
  const rows = data
    .map((/** @type {any} */ { channel, to, code, validationId, sentAt }) => [
      when(sentAt),
      channel,
      to,
      copyable(code),
      copyable(validationId),
    ])
    .reverse();
  return [
    {
      key: "inbox.head",
      data: null,
      build: () => [
        heading("Inbox"),
        el("p.soft", {}, "What a person would have received: the codes that confirm a claim of a PIX key."),
      ],
    },
    {
      key: "inbox.rows",
      data,
      build: () =>
        rows.length === 0
          ? nothing("Nothing was sent. Create a claim of a PIX key, and its code arrives here.")
          : table(["sent", "by", "to", "code", "validation"], rows),
    },
  ];
}
