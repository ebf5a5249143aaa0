import { assumptionMark, jsonView, type Markup, prose } from "./markup.ts";
import { commandsView } from "./commands-view.ts";
import { fieldsView, line, shapeOf } from "./schema-view.ts";
import { html } from "hono/html";
import { onlyContent, type ParameterObject, type PlacedOperation, type ResponseObject } from "./document.ts";
import type { Setting } from "./setting.ts";

/** One operation: what it takes and answers and, next to it, the command to type and its answers. */
export function operationView(operation: PlacedOperation, setting: Setting): Markup {
  const { operationId, method, path, summary, description } = operation;
  return html`<section id="${operationId}" class="operation">
    <div class="text">
      <h3><a href="#${operationId}">${summary}</a></h3>
      <p class="route">
        <b class="method ${method.toLowerCase()}">${method}</b> <code>${path}</code>
        ${assumptionMark(operation["x-assumption"])}
      </p>
      <p>${prose(description)}</p>
      <p class="soft small">
        operationId <code>${operationId}</code>${operation.security?.length === 0 ? " · needs no token" : ""}
      </p>
      ${parametersView(operation)} ${requestView(operation)} ${answersView(operation)}
    </div>
    <div class="samples">${commandsView(operation, setting)}</div>
  </section>`;
}

const PLACES = [
  ["path", "In the path"],
  ["header", "Headers"],
  ["query", "In the query"],
] as const;

/** What a request has in addition to its body. */
function parametersView({ operationId, parameters }: PlacedOperation): Markup[] {
  return PLACES.flatMap(([place, title]) => {
    const placed = parameters.filter((parameter) => parameter.in === place);
    if (placed.length === 0) return [];
    return [
      html`<h4>${title}</h4>
        <ul class="fields">
          ${placed.map(
            (parameter) =>
              html`<li id="${anchorOf(operationId, parameter)}">
                ${parameterLine(operationId, parameter)}
              </li>`,
          )}
        </ul>`,
    ];
  });
}

function anchorOf(operationId: string, { in: place, name }: ParameterObject): string {
  return `${operationId}.${place}.${name}`;
}

function parameterLine(operationId: string, parameter: ParameterObject): Markup {
  const { name, required, description, schema } = parameter;
  const { schema: whole } = shapeOf(schema);
  return line({
    id: anchorOf(operationId, parameter),
    name,
    required,
    schema: { ...whole, description },
    assumption: parameter["x-assumption"],
  });
}

function requestView({ operationId, requestBody }: PlacedOperation): Markup | "" {
  const [mediaType, content] = onlyContent(requestBody?.content) ?? [];
  if (content === undefined) return "";
  const shape = shapeOf(content.schema);
  return html`<h4>
      Body <span class="soft">${mediaType}</span> ${assumptionMark(shape.schema["x-assumption"])}
    </h4>
    <p>${prose(shape.schema.description)}</p>
    ${fieldsView(shape, `${operationId}.request`)}`;
}

/** What an operation answers: its success with every field, and each way to fail with its body. */
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
    <summary><b class="status bad">${status}</b> ${prose(response.description)}</summary>
    ${assumptionMark(response["x-assumption"])} ${examples.map(({ value }) => jsonView(value))}
  </details>`;
}
