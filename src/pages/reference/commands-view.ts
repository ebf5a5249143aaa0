import { addDays, daysBetween, type CalendarDate } from "../../countries/brazil/calendar.ts";
import { codeView, jsonView, type Markup } from "./markup.ts";
import { html } from "hono/html";
import type { OperationId } from "../../api/operations.ts";
import { needs, type OwnValues, type Setting } from "./setting.ts";
import { onlyContent, openApi, type PlacedOperation } from "./document.ts";

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

/** The example with dates of this world; the first one names objects of this world too. */
function filled(
  body: unknown,
  own: OwnValues | undefined,
  { setting: { today }, index }: { readonly setting: Setting; readonly index: number },
): unknown {
  if (body === undefined) return undefined;
  const present = withDatesFrom(body, today);
  return index === 0 && own?.body !== undefined ? { ...(present as object), ...own.body } : present;
}

/** Where the ids of the command come from, or what has to exist before it can succeed. */
function needView(
  { operationId }: PlacedOperation,
  own: OwnValues | undefined,
  { isOpen }: Setting,
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

/** How a command continues in the next line. */
export const NEXT_LINE = " \\\n  ";

/** What fills a request: where it goes and its values. */
export interface Filling {
  /** Scheme, host and port, as the reader's browser wrote them. */
  readonly origin: string;
  readonly token: string;
  readonly body: unknown;
  /** Which example of the operation it is: no two of them share an idempotency key. */
  readonly index: number;
  /** Values of the path's parameters. */
  readonly path: Readonly<Record<string, string>>;
}

/** A command that makes the request, ready for a POSIX shell. */
export function curlLine(operation: PlacedOperation, { origin, token, body, path, index }: Filling): string {
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const [mediaType] = onlyContent(operation.requestBody?.content) ?? [];
  const headers = [
    ...(operation.security?.length === 0 ? [] : [`authorization: Bearer ${token}`]),
    ...operation.parameters
      .filter((parameter) => parameter.in === "header")
      .map(({ name, example }) => `${name}: ${keyOf(String(example), index)}`),
    ...(mediaType === "application/json" ? ["content-type: application/json"] : []),
  ];
  return [
    `curl -i ${operation.method === "GET" ? "" : `-X ${operation.method} `}${quoted(origin + address + query(operation))}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...bodyArguments(mediaType, body),
  ].join(NEXT_LINE);
}

/** The key of one example: the documented one for the first, another UUID for each after it. */
function keyOf(example: string, index: number): string {
  return index === 0 ? example : example.slice(0, -1) + String(index);
}

/** The query parameters that leave the answer whole: how many, in which order. */
function query({ parameters }: PlacedOperation): string {
  const shown = parameters.filter(
    ({ in: place, name }) => place === "query" && (name === "limit" || name === "sort"),
  );
  return shown.length === 0
    ? ""
    : `?${shown.map(({ name, example }) => `${name}=${String(example)}`).join("&")}`;
}

function bodyArguments(mediaType: string | undefined, body: unknown): string[] {
  if (mediaType === undefined) return [];
  if (mediaType === "application/json") return [`-d ${quoted(JSON.stringify(body, null, 2))}`];
  return Object.entries(body as Readonly<Record<string, string>>).map(
    ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
  );
}

/** In single quotes, where a shell reads nothing but the text itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * What each of several examples is called: the outermost word of a closed set in which it differs from the
 * others, such as `CREDIT_CARD`; numbered where they differ in no such word.
 */
export function exampleNames(examples: readonly unknown[]): string[] {
  const words = examples.map((example) => wordsOf(example));
  return words.map((own, index) => {
    const others = words.filter((_, other) => other !== index);
    const name = own.find((word) => !others.some((other) => other.includes(word)));
    return name ?? `example ${index + 1}`;
  });
}

/** The words of closed sets in a value, the outermost first. */
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

/** The day for which the examples of the schemas are written. */
const EXAMPLES_DATE: CalendarDate = "2026-11-20";

/**
 * The example as it would be written today: its dates keep their distance from the day on which it plays, so
 * that a charge due in five days is still due in five days. Dates before that day, such as a birth, stay.
 */
export function withDatesFrom(example: unknown, today: CalendarDate): unknown {
  const days = daysBetween(EXAMPLES_DATE, today);
  return JSON.parse(JSON.stringify(example), (_, value: unknown) =>
    typeof value === "string" && isLater(value) ? addDays(value, days) : value,
  ) as unknown;
}

function isLater(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && value >= EXAMPLES_DATE;
}
