import { html } from "hono/html";
import type { Markup } from "./markup.ts";
import type { ParameterObject, PlacedOperation } from "./document.ts";
import type { Setting } from "./setting.ts";
import { answersView } from "./answers-view.ts";
import { assumptionMark } from "./assumptions-view.ts";
import { commandsView } from "./commands-view.ts";
import { fieldsView, line } from "./fields-view.ts";
import { onlyContent } from "./document.ts";
import { shapeOf } from "./shape.ts";

/** One operation: beside what it takes and answers, what to type and what comes back. */
export function operationView(operation: PlacedOperation, setting: Setting): Markup {
  const { operationId, method, path, summary, description } = operation;
  return html`<section id="${operationId}" class="operation">
    <div class="told">
      <h3><a href="#${operationId}">${summary}</a></h3>
      <p class="route">
        <b class="method ${method.toLowerCase()}">${method}</b> <code>${path}</code>
        ${assumptionMark(operation["x-assumption"])}
      </p>
      <p>${description}</p>
      <p class="soft small">
        operationId <code>${operationId}</code>${operation.security?.length === 0 ? " · needs no token" : ""}
      </p>
      ${parametersView(operation)} ${requestView(operation)} ${answersView(operation)}
    </div>
    <div class="shown">${commandsView(operation, setting)}</div>
  </section>`;
}

const PLACES = [
  ["path", "In the path"],
  ["header", "Headers"],
  ["query", "In the query"],
] as const;

/** What a request carries beside its body. */
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
    <p>${shape.schema.description}</p>
    ${fieldsView(shape, `${operationId}.request`)}`;
}
