import { html } from "hono/html";
import type { Markup } from "./markup.ts";
import type { OperationId } from "../../api/operations.ts";
import type { PlacedOperation } from "./document.ts";
import type { OwnValues } from "./own-objects.ts";
import type { Setting } from "./setting.ts";
import { codeView, jsonView } from "./code-view.ts";
import { curlLine } from "./curl.ts";
import { exampleNames } from "./example-names.ts";
import { inPresent } from "./present-dates.ts";
import { needs } from "./own-objects.ts";
import { onlyContent, openApi } from "./document.ts";

/** What to type to make the request, once for each example of its body, and what comes back. */
export function commandsView(operation: PlacedOperation, setting: Setting): Markup {
  const own = setting.objects[operation.operationId as OperationId];
  const [, request] = onlyContent(operation.requestBody?.content) ?? [];
  const bodies = Object.values(request?.examples ?? { none: { value: undefined } }).map(({ value }) => value);
  const names = exampleNames(bodies);
  const [first, ...others] = bodies.map((body, index) => {
    const label = bodies.length > 1 ? (names[index] ?? "") : "curl";
    return {
      label,
      command: commandOf(operation, { setting, own, index, body: filled(body, own, { setting, index }) }),
    };
  });
  return html`${needView(operation, own, setting)}
  ${first === undefined ? "" : codeView(first.command, first.label)}
  ${others.map(
    ({ label, command }) =>
      html`<details class="other">
        <summary>${label}</summary>
        ${codeView(command, label)}
      </details>`,
  )}
  ${answersOf(operation)}`;
}

interface Command {
  readonly setting: Setting;
  readonly own: OwnValues | undefined;
  readonly body: unknown;
  readonly index: number;
}

function commandOf(
  operation: PlacedOperation,
  { setting: { origin, token }, own, body, index }: Command,
): string {
  const examples = operation.parameters
    .filter((parameter) => parameter.in === "path")
    .map(({ name, example }) => [name, String(example)]);
  const path = { ...(Object.fromEntries(examples) as Record<string, string>), ...own?.path };
  return curlLine(operation, { origin, token, body, path, index });
}

/** The example with the dates of this world and, in the first one, with what stands in it. */
function filled(
  body: unknown,
  own: OwnValues | undefined,
  { setting: { today }, index }: { readonly setting: Setting; readonly index: number },
): unknown {
  if (body === undefined) return undefined;
  const present = inPresent(body, today);
  return index === 0 && own?.body !== undefined ? { ...(present as object), ...own.body } : present;
}

/** Where the command has its ids from, or what has to be there before it can succeed. */
function needView(
  { operationId }: PlacedOperation,
  own: OwnValues | undefined,
  { isOpen }: Setting,
): Markup | "" {
  const need = needs[operationId as OperationId];
  if (need === undefined) return "";
  const { what, madeBy } = need;
  if (own !== undefined) return html`<p class="need">Works on ${what} of this sandbox, the newest.</p>`;
  const summary = Object.values(openApi().paths)
    .flatMap((item) => Object.values(item))
    .find((operation) => operation.operationId === madeBy)?.summary;
  const beginning = html`<a href="#${madeBy}">${summary}</a>`;
  if (!isOpen)
    return html`<p class="need">
      Needs ${what}. Begin with ${beginning}, and put its id where the example's is.
    </p>`;
  return html`<p class="need">
    Needs ${what}, and this sandbox has none yet. Begin with ${beginning}, then load this page again: its id
    will stand here.
  </p>`;
}

function answersOf({ responses }: PlacedOperation): Markup[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content }]) => {
      const values = Object.values(onlyContent(content)?.[1].examples ?? {}).map(({ value }) => value);
      const names = exampleNames(values);
      return values.map(
        (value, index) =>
          html`<figure>
            <figcaption>
              answers <b class="status good">${status}</b> ${values.length > 1 ? (names[index] ?? "") : ""}
            </figcaption>
            ${jsonView(value)}
          </figure>`,
      );
    });
}
