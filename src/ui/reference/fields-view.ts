import { html } from "hono/html";
import type { Field, Shape } from "./shape.ts";
import type { Markup } from "./markup.ts";
import { assumptionMark } from "./assumptions-view.ts";
import { choicesOf, limitWords, patternOf, typeWords } from "./limits.ts";

/** The fields of a shape, those inside them unfolded below. Each has an anchor: `place` and the way to it. */
export function fieldsView(shape: Shape, place: string): Markup {
  return html`${rulesView(shape.rules)}
    <ul class="fields">
      ${shape.fields.map((field) => fieldView(field, place))}
    </ul>`;
}

function rulesView(rules: readonly string[]): Markup | "" {
  if (rules.length === 0) return "";
  return html`<ul class="rules">
    ${rules.map((rule) => html`<li>${rule}</li>`)}
  </ul>`;
}

function fieldView({ name, required, shape }: Field, place: string): Markup {
  const id = `${place}.${name}`;
  return html`<li id="${id}">
    ${line({ id, name, required, schema: shape.schema })}
    ${
      shape.fields.length > 0
        ? html`<details open>
            <summary>fields of ${name}</summary>
            ${fieldsView(shape, id)}
          </details>`
        : ""
    }
  </li>`;
}

type Line = Pick<Field, "name" | "required"> & {
  readonly id: string;
  readonly schema: Shape["schema"];
  readonly assumption?: string | undefined;
};

/** One field or parameter: name, type, whether it is required, what it means and its limits. */
export function line({ id, name, required, schema, assumption = schema["x-assumption"] }: Line): Markup {
  const limits = limitWords(schema);
  const pattern = patternOf(schema);
  const choices = choicesOf(schema);
  return html`<div class="line">
      <a class="name" href="#${id}">${name}</a>
      <span class="type">${typeWords(schema)}</span>
      ${required ? html`<span class="required">required</span>` : ""} ${assumptionMark(assumption)}
    </div>
    ${schema.description === undefined ? "" : html`<p>${schema.description}</p>`}
    ${
      choices.length > 0
        ? html`<p class="choices">${choices.map((choice) => html`<code>${choice}</code> `)}</p>`
        : ""
    }
    ${
      limits.length > 0 || pattern !== undefined
        ? html`<p class="limits">
            ${limits.join(" · ")} ${pattern === undefined ? "" : html`<code>${pattern}</code>`}
          </p>`
        : ""
    }`;
}
