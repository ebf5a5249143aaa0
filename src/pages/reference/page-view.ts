import { deliveryEntries, eventAnchor, eventGroups, eventGroupView } from "./events-view.ts";
import { guideEntries, guideView } from "./guide-view.ts";
import { LANGUAGES } from "./languages.ts";
import { html } from "hono/html";
import type { AssumptionInWorld } from "../../simulator/platform/assumptions/listing.ts";
import { type ContentsEntry, entryView, type Markup, prose } from "./markup.ts";
import { openApi, placedOperations, type PlacedOperation } from "./document.ts";
import { operationView } from "./operation-view.ts";
import type { SettingRow } from "./setting.ts";

/** Returns the whole reference page. */
export function pageView(setting: SettingRow): Markup {
  const { info, tags } = openApi();
  const operations = placedOperations();
  const chapters = tags.map((tag) => ({
    ...tag,
    operations: operations.filter((operation) => operation.tags[0] === tag.name),
  }));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>Reference · ${info.title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/html/base.css" />
        <link rel="stylesheet" href="/docs/reference.css" />
        <script type="module" src="/docs/reference.js"></script>
      </head>
      <body>
        <header id="bar">
          <button id="menu" aria-expanded="false" aria-controls="contents">☰ Contents</button>
          <a class="brand" href="${setting.dashboard}">sandbank</a>
          <span class="soft">reference</span>
          <input
            id="search"
            type="search"
            placeholder="Search: a field, a path, an event…  /"
            aria-label="Search"
            hidden
          />
          <select id="language" aria-label="Language of the samples" hidden>
            ${Object.keys(LANGUAGES).map((language) => html`<option>${language}</option>`)}
          </select>
          <nav class="flow" aria-label="Other pages">
            <a href="${setting.dashboard}">dashboard</a> <a href="/openapi.json">openapi.json</a>
          </nav>
        </header>
        <nav id="contents" class="places" aria-label="Contents">
          <p id="nothing-found" class="nothing" role="status"></p>
          ${contentsView(chapters, setting)}
        </nav>
        <main>
          ${guideView(setting)} ${chapters.map((chapter) => chapterView(chapter, setting))}
          <section id="events" class="chapter">
            <h2>Events</h2>
            ${deliveryEntries(setting).map(entryView)} ${eventGroups().map(eventGroupView)}
          </section>
          ${assumptionsView(setting.assumptions)}
        </main>
      </body>
    </html>`;
}

interface Chapter {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

function chapterView({ name, description, operations }: Chapter, setting: SettingRow): Markup {
  return html`<section id="${chapterAnchor(name)}" class="chapter">
    <h2>${name}</h2>
    <p>${prose(description)}</p>
    ${operations.map((operation) => operationView(operation, setting))}
  </section>`;
}

function chapterAnchor(name: string): string {
  return `chapter.${name.toLowerCase().replaceAll(" ", "-")}`;
}

function contentsView(chapters: readonly Chapter[], setting: SettingRow): Markup {
  const link = ({ id, title }: ContentsEntry): Markup => html`<li><a href="#${id}">${title}</a></li>`;
  return html`<h2><a href="#guide">Guide</a></h2>
    <ul>
      ${guideEntries(setting).map(link)}
    </ul>
    ${chapters.map(
      ({ name, operations }) =>
        html`<h2><a href="#${chapterAnchor(name)}">${name}</a></h2>
          <ul>
            ${operations.map(
              ({ operationId, method, summary }) =>
                html`<li>
                  <a href="#${operationId}">
                    <b class="method ${method.toLowerCase()}">${method}</b> <span>${summary}</span>
                  </a>
                </li>`,
            )}
          </ul>`,
    )}
    <h2><a href="#events">Events</a></h2>
    <ul>
      ${deliveryEntries(setting).map(link)}
      ${Object.keys(openApi().webhooks).map(
        (name) => html`<li><a class="event" href="#${eventAnchor(name)}">${name}</a></li>`,
      )}
    </ul>
    <h2><a href="#assumptions">Assumptions</a></h2>`;
}

/** Shows every assumption: the sandbox's decision, the words that leave it open, the reason, and the value in force. */
export function assumptionsView(assumptions: readonly AssumptionInWorld[]): Markup {
  return html`<section id="assumptions" class="chapter">
    <h2>Assumptions</h2>
    <p>
      The platform API leaves much undefined. What the sandbox does instead is marked on this page in
      <span class="assumed">this colour</span> and listed here. Assumptions with a value can be set:
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
}: AssumptionInWorld): Markup {
  const changed = settable && JSON.stringify(value) !== JSON.stringify(standard);
  return html`<div id="assumption.${id}" class="assumption">
    <dt>
      <a href="#assumption.${id}">${id}</a>
      ${settable && html`<code class="${changed ? "waiting" : ""}">${String(value)}</code>`}
    </dt>
    <dd>${says}</dd>
    <dd class="soft">Left open: ${leavesOpen}</dd>
    <dd class="soft">Because: ${because}</dd>
  </div>`;
}
