import { openPartner } from "../../partner.ts";
import { type Exchanged, exchangedInSession } from "./session.ts";
import { beforeAll, expect, test } from "vitest";
import { controlDocument } from "../../../src/server/control/openapi.ts";
import { definition, exampleOf } from "../../../src/simulator/api/schemas.ts";
import { endpoints } from "../../../scripts/control.ts";
import { LISTS } from "../../../src/server/control/client.js";
import { shapeProblems } from "../../../src/simulator/api/validation.ts";

const all = Object.entries(endpoints);
/**
 * The description of all of them is not in the session, which would change with each. A turn ends while an advance waits
 * for it: followers.test.ts has it.
 */
const { describeApi, endTurn: _endTurn, ...inSession } = endpoints;
let exchanged: readonly Exchanged[];

beforeAll(async () => {
  exchanged = await exchangedInSession();
  // It runs posted scenarios, which starts a thread.
}, 120_000);

test("every answer of a session is the stored one, byte for byte", async () => {
  await expect(exchanged.map(written).join("\n")).toMatchFileSnapshot("./answers.txt");
});

test("the client knows the lists of answers, by which it recognises a sandbox", () => {
  const named = (list: string): string[] =>
    all.flatMap(([, { method, path, response }]) => {
      const { properties = {}, required = [] } = definition(response).schema as ObjectSchema;
      const isRead = list === "companies" || method === "GET";
      const hasList = isRead && required.includes(list) && properties[list]?.type === "array";
      return hasList ? `${method} ${path}` : [];
    });
  const sorted = Object.entries(LISTS).map(([list, own]) => [list, own.toSorted()]);
  expect(sorted).toEqual(Object.keys(LISTS).map((list) => [list, named(list).toSorted()]));
});

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
  readonly required?: readonly string[];
}

test.each(Object.entries(inSession))("%s answers what it describes", (_, endpoint) => {
  const path = new RegExp(
    `^${endpoint.path.replaceAll(/\{\w+\*\}/g, ".+").replaceAll(/\{\w+\}/g, "[^/]+")}$`,
  );
  const answers = exchanged.filter(
    ({ method, path: asked, status }) =>
      method === endpoint.method && path.test(asked.replace(/\?.*/, "")) && (status < 300 || status === 503),
  );
  expect(answers.length).toBeGreaterThan(0);
  for (const { status, text, path: asked } of answers) {
    expect([endpoint.successStatus ?? 200, 503]).toContain(status);
    if (endpoint.gives !== undefined || asked.includes("format=har")) continue;
    const wall = text.replaceAll(/:WALL/g, ":0").replaceAll('"WALL"', '"2026-11-20T12:00:00.000Z"');
    const shape = status === 503 ? "Unavailable" : endpoint.response;
    expect(shapeProblems(shape, JSON.parse(wall))).toEqual([]);
  }
});

test.each(all)("the examples of %s are valid", (_, { query, request, response }) => {
  for (const shape of [query ?? [], request ?? [], response].flat()) {
    const { schema } = definition(shape);
    for (const example of schema.examples ?? [exampleOf(schema)])
      expect([shape, shapeProblems(shape, example)]).toEqual([shape, []]);
  }
});

test.each(all)("a parameter of the path of %s has no namesake in its query or body", (_, endpoint) => {
  const { parameters = {}, query, request } = endpoint;
  const others = [query ?? [], request ?? []].flat().flatMap((shape) => fieldsOf(shape));
  expect(Object.keys(parameters)).toEqual(Array.from(endpoint.path.matchAll(/\{(\w+)/g), ([, name]) => name));
  expect(others.filter((name) => Object.hasOwn(parameters, name))).toEqual([]);
});

test("the description of the API has only references that it resolves", () => {
  const text = JSON.stringify(controlDocument(endpoints));
  const { components } = JSON.parse(text) as { components: Record<string, Record<string, unknown>> };
  const references = Array.from(text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g));
  expect(references.length).toBeGreaterThan(200);
  expect(references.filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined)).toEqual([]);
});

test("the description of the API is served, with the address of the request and the date of the clock", async () => {
  await using partner = await openPartner();
  const { status, body } = await partner.ask("GET", describeApi?.path ?? "");
  const server = { url: "http://localhost", token: "acme-token", today: "2026-11-20" };
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(controlDocument(endpoints, server)))]);
  await partner.sandbox.advance("P10D");
  const { body: later } = await partner.ask("GET", describeApi?.path ?? "");
  expect(later).toEqual(
    JSON.parse(JSON.stringify(controlDocument(endpoints, { ...server, today: "2026-11-30" }))),
  );
});

test("every refusal has the common error body", () => {
  const refused = exchanged.filter(({ status }) => status >= 400 && status !== 503);
  expect(refused.length).toBeGreaterThan(80);
  for (const { text, path } of refused)
    expect([path, shapeProblems("ControlError", JSON.parse(text))]).toEqual([path, []]);
});

function fieldsOf(shape: string): string[] {
  return Object.keys(definition(shape).schema.properties ?? {});
}

function written({
  method,
  path,
  body,
  headers,
  status,
  text,
  answerHeaders,
  grows = false,
}: Exchanged): string {
  const sent = body === undefined ? "" : ` ${typeof body === "string" ? body : JSON.stringify(body)}`;
  const withHeaders = headers === undefined ? "" : ` ${JSON.stringify(headers)}`;
  return [
    `> ${method} ${path}${withHeaders}${shortened(sent, 300)}`,
    `< ${status} ${JSON.stringify(answerHeaders)}`,
    grows ? JSON.stringify(beginnings(JSON.parse(text))) : text,
    "",
  ].join("\n");
}

/** The beginnings of lists and sentences, which stay as they are when the platform gets another resource. */
function beginnings(value: unknown): unknown {
  if (typeof value === "string") return shortened(value, 60);
  if (Array.isArray(value)) return value.slice(0, 2).map(beginnings);
  if (typeof value !== "object" || value === null) return value;
  const { total: _total, percent: _percent, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([name, field]) => [name, beginnings(field)]));
}

function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;
}
