import { api } from "./app.js";
import { Copyable, ListView, Table, When } from "./components.js";
import { html } from "../../html/preact.js";

/** The confirmation codes that were sent by e-mail and SMS. @type {import("./page-data.ts").View} */
export const inboxView = {
  title: "Inbox",
  load: async () => (await api.ask("GET /sandbox/inbox")).data,
  List,
};

/** @param {{ data: readonly Record<string, string>[] }} props */
function List({ data }) {
  const rows = data.map(({ channel, to, code = "", validationId = "", sentAt }) => [
    html`<${When} at=${sentAt} />`,
    channel,
    to,
    html`<${Copyable} text=${code} />`,
    html`<${Copyable} text=${validationId} />`,
  ]);
  const table = html`<${Table}
    columns=${["sent", "by", "to", "code", "validation"]}
    rows=${rows.reverse()}
  />`;
  return html`<${ListView}
    title="Inbox"
    intro="The codes that a person would receive to confirm a claim of a PIX key."
    rows=${rows.length === 0 ? [] : [table]}
    none="No code was sent yet. Create a claim of a PIX key, and its code appears here."
  />`;
}
