import type { OperationId } from "../../simulator/api/vocabulary.ts";
import { datedFrom } from "../../simulator/api/openapi-document.ts";
import { codeView, jsonView, type Markup } from "./markup.ts";
import { html } from "hono/html";
import { needs, type OwnValues, type SettingRow } from "./setting.ts";
import { LongWork } from "../../base/long-work.ts";
import { onlyContent, openApi, placedOperations, type PlacedOperation } from "./document.ts";
import { type HarRequest, harRequest, inLanguage, type SampleLanguage } from "./languages.ts";

/** Shows the command of the request, once for each example of its body, and its answer. */
export function commandsView(operation: PlacedOperation, setting: SettingRow): Markup {
  const own = setting.objects[operation.operationId as OperationId];
  const [first, ...others] = samplesOf(operation, setting);
  return html`${needView(operation, own, setting)} ${first !== undefined && sampleView(first)}
  ${others.map(
    (sample) =>
      html`<details class="other">
        <summary>${sample.label}</summary>
        ${sampleView(sample)}
      </details>`,
  )}
  ${answersOf(operation)}`;
}

/** A request that the page shows in each language. */
interface Sample {
  readonly id: string;
  readonly label: string;
  readonly request: HarRequest;
}

function sampleView({ id, label, request }: Sample): Markup {
  return codeView(inLanguage("curl", request), label, id);
}

/** Returns the texts of all samples in a language, by their ids. */
export async function samplesIn(
  language: SampleLanguage,
  setting: SettingRow,
): Promise<Record<string, string>> {
  const work = new LongWork();
  const texts: Record<string, string> = {};
  for (const operation of placedOperations()) {
    for (const { id, request } of samplesOf(operation, setting)) texts[id] = inLanguage(language, request);
    if (work.isDue) await work.nextTurn();
  }
  return texts;
}

function samplesOf(operation: PlacedOperation, setting: SettingRow): Sample[] {
  const [, content] = onlyContent(operation.requestBody?.content) ?? [];
  const bodies = Object.values(content?.examples ?? { none: { value: undefined } }).map(({ value }) => value);
  const names = exampleNames(bodies);
  return bodies.map((body, index) => ({
    id: `${operation.operationId}.${index}`,
    label: bodies.length > 1 ? (names[index] ?? "") : "request",
    request: requestOf(operation, setting, body, index),
  }));
}

/** Returns the request with an example of its body. Each example has another number, and so another idempotency key. */
function requestOf(
  operation: PlacedOperation,
  setting: SettingRow,
  example: unknown,
  index: number,
): HarRequest {
  const { method, parameters, path, security } = operation;
  const own = setting.objects[operation.operationId as OperationId];
  // The first example names objects of this world.
  const body = filled(example, setting, index === 0 ? own : undefined);
  const examples = parameters.map(({ name, example }): [string, string] => [name, String(example)]);
  const values: Readonly<Record<string, string>> = { ...Object.fromEntries(examples), ...own?.path };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const isForAdmins = security?.some(({ adminToken }) => adminToken !== undefined) ?? false;
  const headers = {
    ...(security === undefined && { authorization: `Bearer ${setting.token}` }),
    ...(isForAdmins && !setting.isOpen && { "x-admin-token": "YOUR_ADMIN_TOKEN" }),
    ...Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === "header" && parameter.required)
        .map(({ name, example }) => [name, keyOf(String(example), index)]),
    ),
  };
  const [mediaType] = onlyContent(operation.requestBody?.content) ?? [];
  const url = setting.origin + address + query(operation);
  return harRequest({ method, url, headers, ...(body !== undefined && { mediaType, body }) });
}

/** Returns the example with dates of this world, and with these values. */
function filled(body: unknown, { today }: SettingRow, own: OwnValues | undefined): unknown {
  if (body === undefined) return undefined;
  const present = datedFrom(body, today);
  return own?.body === undefined ? present : { ...(present as object), ...own.body };
}

/** Shows the source of the ids in the command, or the objects that must exist before it can succeed. */
function needView(
  { operationId }: PlacedOperation,
  own: OwnValues | undefined,
  { isOpen }: SettingRow,
): Markup | "" {
  const need = needs[operationId as OperationId];
  if (need === undefined) return "";
  const { what, madeBy } = need;
  if (own !== undefined) return html`<p class="need">Uses the newest object of this sandbox: ${what}.</p>`;
  const summary = Object.values(openApi().paths)
    .flatMap((item) => Object.values(item))
    .find((operation) => operation.operationId === madeBy)?.summary;
  const beginning = html`<a href="#${madeBy}">${summary}</a>`;
  if (!isOpen)
    return html`<p class="need">
      Needs ${what}. Start with ${beginning}, and replace the id of the example with its id.
    </p>`;
  return html`<p class="need">
    Needs ${what}, and this sandbox has none yet. Start with ${beginning}, then load this page again: its id
    will be here.
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

/** Returns the key of one example: the documented key for the first, another UUID for each later example. */
function keyOf(example: string, index: number): string {
  return index === 0 ? example : example.slice(0, -1) + String(index);
}

/** Returns the query parameters that leave the answer whole: the number of rows and their order. */
function query({ parameters }: PlacedOperation): string {
  const shown = parameters.filter(
    ({ in: place, name, required }) => place === "query" && (required || name === "limit" || name === "sort"),
  );
  return shown.length === 0
    ? ""
    : `?${shown.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join("&")}`;
}

/**
 * Returns the names of several examples. The name is the outermost word of a closed set that differs from the others,
 * such as `CREDIT_CARD`. Without such a word, the examples are numbered.
 */
function exampleNames(examples: readonly unknown[]): string[] {
  const words = examples.map((example) => wordsOf(example));
  return words.map((own, index) => {
    const others = words.filter((_, other) => other !== index);
    const name = own.find((word) => !others.some((other) => other.includes(word)));
    return name ?? `example ${index + 1}`;
  });
}

/** Returns the words of closed sets in a value, the outermost first. */
function wordsOf(value: unknown): string[] {
  const words: string[] = [];
  for (let level: unknown[] = [value]; level.length > 0; level = level.flatMap(inside)) {
    words.push(...level.filter((one) => typeof one === "string").filter(isWord));
  }
  return words;
}

function inside(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function isWord(text: string): boolean {
  return /^[A-Z][A-Z_]{2,}$/.test(text);
}
