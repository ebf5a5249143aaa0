import { html } from "hono/html";
import type { Markup } from "./markup.ts";
import type { ListedAssumption } from "../../platform/assumptions/listing.ts";

/** Says that something is not shown by the interface, and leads to what was decided. */
export function assumptionMark(id: string | undefined): Markup | "" {
  if (id === undefined) return "";
  return html`<a class="assumed" href="#assumption.${id}" title="Not shown by the interface: assumed"
    >${id}</a
  >`;
}

/** Every assumption: what the sandbox does, the words that leave it open, the reason, and the value in force. */
export function assumptionsView(assumptions: readonly ListedAssumption[]): Markup {
  return html`<section id="assumptions" class="chapter">
    <h2>Assumptions</h2>
    <p>
      The interface leaves much open. Whatever the sandbox decided instead is marked on this page in
      <span class="assumed">this colour</span> and told here. What has a value can be set:
      <code>sandbank serve --assume id=value</code>, or <code>assumptions</code> in the configuration, in a
      scenario, in <code>createSandbox</code> and in <code>POST /sandbox/worlds</code>.
    </p>
    <dl class="assumptions">${assumptions.map(entry)}</dl>
  </section>`;
}

function entry({
  id,
  settable,
  value,
  default: standard,
  says,
  leavesOpen,
  because,
}: ListedAssumption): Markup {
  const changed = settable && JSON.stringify(value) !== JSON.stringify(standard);
  return html`<div id="assumption.${id}" class="assumption">
    <dt>
      <a href="#assumption.${id}">${id}</a>
      ${settable ? html`<code class="${changed ? "value changed" : "value"}">${String(value)}</code>` : ""}
    </dt>
    <dd>${says}</dd>
    <dd class="soft">Left open: ${leavesOpen}</dd>
    <dd class="soft">Because: ${because}</dd>
  </div>`;
}
