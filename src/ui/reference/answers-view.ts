import { html } from "hono/html";
import type { Markup } from "./markup.ts";
import type { PlacedOperation, ResponseObject } from "./document.ts";
import { assumptionMark } from "./assumptions-view.ts";
import { fieldsView, line } from "./fields-view.ts";
import { jsonView } from "./code-view.ts";
import { onlyContent } from "./document.ts";
import { shapeOf } from "./shape.ts";

/** What an operation answers: its success with every field, and each way it can fail with what it then says. */
export function answersView({ operationId, responses }: PlacedOperation): Markup {
  const answers = Object.entries(responses);
  const successes = answers.filter(([status]) => status.startsWith("2"));
  const failures = answers.filter(([status]) => !status.startsWith("2"));
  return html`${successes.map(([status, response]) => successView(`${operationId}.answer`, status, response))}
    <h4>When it fails</h4>
    <div class="failures">
      ${failures.map(([status, response]) => failureView(`${operationId}.${status}`, status, response))}
    </div>`;
}

function successView(place: string, status: string, response: ResponseObject): Markup {
  const [, content] = onlyContent(response.content) ?? [];
  const shape = content && shapeOf(content.schema);
  return html`<h4 id="${place}">
      Answer <b class="status good">${status}</b> ${assumptionMark(response["x-assumption"])}
    </h4>
    <p>${response.description}</p>
    ${shape === undefined ? "" : fieldsView(shape, place)} ${headersView(place, response)}`;
}

function headersView(place: string, { headers = {} }: ResponseObject): Markup | "" {
  const entries = Object.entries(headers);
  if (entries.length === 0) return "";
  return html`<h4>Headers of the answer</h4>
    <ul class="fields">
      ${entries.map(
        ([name, { description, schema, ...header }]) =>
          html`<li id="${place}.header.${name}">
            ${line({
              id: `${place}.header.${name}`,
              name,
              required: false,
              schema: { ...schema, description },
              assumption: header["x-assumption"],
            })}
          </li>`,
      )}
    </ul>`;
}

function failureView(id: string, status: string, response: ResponseObject): Markup {
  const [, content] = onlyContent(response.content) ?? [];
  const examples = Object.values(content?.examples ?? {});
  return html`<details id="${id}">
    <summary>
      <b class="status bad">${status}</b> ${response.description} ${assumptionMark(response["x-assumption"])}
    </summary>
    ${examples.map(({ value }) => jsonView(value))}
  </details>`;
}
