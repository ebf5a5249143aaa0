import { Ajv2020 } from "ajv/dist/2020.js";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { events, eventShapes } from "../../../src/simulator/api/events.ts";
import { operations } from "../../../src/simulator/api/operations.ts";
import { checkOf, compilerFor } from "../../../src/simulator/api/schema-compiler.ts";
import {
  definition,
  definitions,
  exampleOf,
  interfaceDefinitions,
  referencedName,
  schemaDocuments,
  type Schema,
} from "../../../src/simulator/api/schemas.ts";

interface Place {
  readonly pointer: string;
  readonly schema: Schema;
  readonly isProperty: boolean;
}

const conditions = ["if", "then", "else"] as const;

/** Every part of a definition that describes a value: itself, its properties and its items. */
function described(schema: Schema, pointer: string, isProperty = false): Place[] {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    described(property, `${pointer}/properties/${name}`, true),
  );
  const items = schema.items ? described(schema.items, `${pointer}/items`) : [];
  return [{ pointer, schema, isProperty }, ...properties, ...items];
}

const places = interfaceDefinitions().flatMap(({ name, file, schema }) =>
  described(schema, `${file}#/$defs/${name}`),
);

function references(schema: Schema): string[] {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.allOf ?? []),
    ...conditions.flatMap((keyword) => schema[keyword] ?? []),
  ];
  return [...(schema.$ref === undefined ? [] : [referencedName(schema.$ref)]), ...inner.flatMap(references)];
}

function reachable(name: string, seen: Set<string>): void {
  if (seen.has(name)) return;
  seen.add(name);
  for (const referenced of references(definition(name).schema)) reachable(referenced, seen);
}

test("the $id of every schema file is its name", () => {
  const files = readdirSync(new URL("../../../schemas/source/", import.meta.url));
  const ids = schemaDocuments().map(({ $id }) => $id);
  expect(ids.length).toBeGreaterThan(10);
  expect(ids.filter((id) => id === undefined || !files.includes(id))).toEqual([]);
});

test("the names of definitions are unique over all files", () => {
  const names = schemaDocuments().flatMap((document) => Object.keys(document.$defs ?? {}));
  expect(names).toHaveLength(definitions().size);
});

test("every schema file is valid by the meta-schema", () => {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    keywords: ["x-assumption", "x-expected", "x-rule"],
  });
  for (const document of schemaDocuments()) expect(ajv.validateSchema(document)).toBe(true);
});

test("every definition compiles in strict mode", () => {
  for (const name of definitions().keys()) expect(checkOf(name)).toBeTypeOf("function");
});

test("every example is valid by the part of a schema that contains it", () => {
  const wrong = places.flatMap(({ pointer, schema }) => {
    const check = compilerFor("json").compile({ $ref: pointer });
    const invalid = (schema.examples ?? []).filter((example) => !check(example));
    return invalid.map((example) => [pointer, example]);
  });
  expect(wrong).toEqual([]);
});

test("the example composed for a definition is valid by it", () => {
  const wrong = interfaceDefinitions().filter(({ name, schema }) => !checkOf(name)(exampleOf(schema)));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("every property is explained and has an example", () => {
  const silent = places.filter(({ schema, isProperty }) => {
    if (!isProperty) return schema.description === undefined && schema.$ref === undefined;
    const hasExample =
      schema.examples !== undefined || schema.$ref !== undefined || schema.items !== undefined;
    return (schema.description ?? "").length < 6 || !hasExample;
  });
  expect(silent.map(({ pointer }) => pointer)).toEqual([]);
});

test("every definition is used by an operation or an event", () => {
  const seen = new Set<string>();
  for (const { request, query, response } of Object.values(operations)) {
    for (const name of [request, query, response]) if (name !== undefined) reachable(name, seen);
  }
  for (const event of Object.values(events)) for (const shape of eventShapes(event)) reachable(shape, seen);
  for (const name of ["ErrorBody", "ErrorSentences", "OAuthErrorBody", "WebhookAcknowledgement"])
    reachable(name, seen);
  expect(interfaceDefinitions().filter(({ name }) => !seen.has(name))).toEqual([]);
});

test("every property of a generated type is readonly", () => {
  const generated = readFileSync("src/simulator/api/generated/shapes.ts", "utf8");
  const properties = generated.split("\n").filter((line) => /^\s+[^|\s][^|]*\??: /.test(line));
  expect(properties).not.toEqual([]);
  expect(properties.filter((line) => !/^\s+readonly /.test(line))).toEqual([]);
});

test("answers allow no unknown fields, requests do", () => {
  const read = new Set<string>();
  for (const { request, query } of Object.values(operations)) {
    for (const name of [request, query]) if (name !== undefined) reachable(name, read);
  }
  const parts = new Set(["ScheduledPaymentFields", "TransparentOrderRules", "WebhookAcknowledgement"]);
  for (const { name, schema } of interfaceDefinitions()) {
    if (schema.type !== "object" || parts.has(name)) continue;
    expect([name, schema.unevaluatedProperties === false]).toEqual([name, !read.has(name)]);
  }
});
