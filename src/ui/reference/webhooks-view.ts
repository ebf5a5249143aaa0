import { html } from "hono/html";
import type { Markup } from "./markup.ts";
import type { OperationObject } from "./document.ts";
import { assumptionMark } from "./assumptions-view.ts";
import { fieldsView } from "./fields-view.ts";
import { jsonView } from "./code-view.ts";
import { nameIn, onlyContent, openApi } from "./document.ts";
import { shapeOf } from "./shape.ts";

interface Event extends OperationObject {
  readonly name: string;
}

/** The events that have one shape, under its name; those of several stand under each. */
export interface EventGroup {
  readonly shape: string;
  readonly events: readonly Event[];
}

/** Every event, grouped by the shape of its body. */
export function eventGroups(): EventGroup[] {
  const groups = new Map<string, Event[]>();
  for (const [name, { post }] of Object.entries(openApi().webhooks)) {
    for (const shape of shapesOf(post)) groups.set(shape, [...(groups.get(shape) ?? []), { ...post, name }]);
  }
  return Array.from(groups, ([shape, events]) => ({ shape, events }));
}

function shapesOf({ requestBody }: OperationObject): string[] {
  const { schema } = onlyContent(requestBody?.content)?.[1] ?? {};
  return (schema?.oneOf ?? [schema ?? {}]).map(({ $ref = "" }) => nameIn($ref));
}

/** The anchor of an event. */
export function eventAnchor(name: string): string {
  return `event.${name}`;
}

/** The events of one shape: what each tells, every field of their body, and an example of each. */
export function eventGroupView({ shape: name, events }: EventGroup): Markup {
  const shape = shapeOf({ $ref: `#/components/schemas/${name}` });
  return html`<section id="${name}" class="operation">
    <div class="told">
      <h3><a href="#${name}">${name}</a></h3>
      <p>${shape.schema.description}</p>
      <dl class="events">${events.map((event) => eventLine(event, name))}</dl>
      <h4>Body <span class="soft">application/json</span></h4>
      ${fieldsView(shape, name)}
    </div>
    <div class="shown">
      ${events.map((event, index) => exampleView(event, { shape: name, isOpen: index === 0 }))}
    </div>
  </section>`;
}

/** An event has its anchor where it is told first; elsewhere it leads there. */
function eventLine(event: Event, shape: string): Markup {
  const isHome = shapesOf(event)[0] === shape;
  const id = isHome ? eventAnchor(event.name) : `${eventAnchor(event.name)}.${shape}`;
  return html`<div id="${id}">
    <dt><a href="#${id}">${event.name}</a></dt>
    <dd>${event.summary}. ${assumptionMark(event["x-assumption"])}</dd>
  </div>`;
}

function exampleView(
  { name, requestBody }: Event,
  { shape, isOpen }: { readonly shape: string; readonly isOpen: boolean },
): Markup {
  const [, content] = onlyContent(requestBody?.content) ?? [];
  const example = content?.examples[shape]?.value;
  return html`<details class="other" ${isOpen ? "open" : ""}>
    <summary>${name}</summary>
    ${jsonView(example)}
  </details>`;
}
