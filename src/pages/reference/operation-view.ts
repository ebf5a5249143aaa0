import { assumptionMark, entryView, jsonView, type Markup, prose } from "./markup.ts";
import { commandsView } from "./commands-view.ts";
import { fieldsView, line, shapeOf } from "./schema-view.ts";
import { html } from "hono/html";
import {
  type BodyContent,
  onlyContent,
  type NamedHeader,
  type PlacedOperation,
  type ResponseObject,
} from "./document.ts";
import type { SettingRow } from "./setting.ts";

/** Shows one operation: its request and its answers and, next to them, the command with its answers. */
export function operationView(operation: PlacedOperation, setting: SettingRow): Markup {
  const { operationId, method, path, summary, description } = operation;
  return entryView({
    id: operationId,
    title: summary,
    text: html`<p class="route">
        <b class="method ${method.toLowerCase()}">${method}</b> <code>${path}</code>
        ${assumptionMark(operation["x-assumption"])}
      </p>
      <p>${prose(description)}</p>
      <p class="soft small">
        operationId <code>${operationId}</code>${operation.security?.length === 0 ? " · needs no token" : ""}
      </p>
      ${parametersView(operation)} ${requestView(operation)} ${answersView(operation)}`,
    samples: commandsView(operation, setting),
  });
}

const PLACES = [
  ["path", "In the path"],
  ["header", "Headers"],
  ["query", "In the query"],
] as const;

/** Shows the parts of a request in addition to its body. */
function parametersView({ operationId, parameters }: PlacedOperation): (Markup | "")[] {
  return PLACES.map(([place, title]) =>
    namedView(
      title,
      `${operationId}.${place}`,
      parameters.filter((parameter) => parameter.in === place),
    ),
  );
}

/** Parameters or headers: a line for each, under a title. */
function namedView(title: string, place: string, parameters: readonly NamedHeader[]): Markup | "" {
  if (parameters.length === 0) return "";
  return html`<h4>${title}</h4>
    <ul class="fields">
      ${parameters.map(({ name, required, description, schema, ...parameter }) => {
        const id = `${place}.${name}`;
        const whole = { ...shapeOf(schema).schema, description };
        const assumption = parameter["x-assumption"];
        return html`<li id="${id}">${line({ id, name, required, schema: whole, assumption })}</li>`;
      })}
    </ul>`;
}

function requestView({ operationId, requestBody }: PlacedOperation): Markup[] {
  return Object.entries(requestBody?.content ?? {}).map((content) => bodyView(operationId, content));
}

function bodyView(operationId: string, [mediaType, { schema }]: [string, BodyContent]): Markup {
  const shape = shapeOf(schema);
  return html`<h4>
      Body <span class="soft">${mediaType}</span> ${assumptionMark(shape.schema["x-assumption"])}
    </h4>
    <p>${prose(shape.schema.description)}</p>
    ${fieldsView(shape, `${operationId}.request`)}`;
}

/** Shows the answers of an operation: its success with every field, and each failure with its body. */
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
    <p>${prose(response.description)}</p>
    ${shape !== undefined && fieldsView(shape, place)} ${headersView(place, response)}`;
}

function headersView(place: string, { headers = {} }: ResponseObject): Markup | "" {
  const named = Object.entries(headers).map(([name, header]) => ({ ...header, name, required: false }));
  return namedView("Headers of the answer", `${place}.header`, named);
}

function failureView(id: string, status: string, response: ResponseObject): Markup {
  const [, content] = onlyContent(response.content) ?? [];
  const examples = Object.values(content?.examples ?? {});
  return html`<details id="${id}">
    <summary><b class="status bad">${status}</b> ${prose(response.description)}</summary>
    ${assumptionMark(response["x-assumption"])} ${examples.map(({ value }) => jsonView(value))}
  </details>`;
}
