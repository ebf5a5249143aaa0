import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { expect, test } from "vitest";
import { sandbank } from "./command.ts";

test("sandbank schema prints schemas without words that a validator does not know", async () => {
  const { out } = await sandbank("schema");
  const schemas = JSON.parse(out) as Record<string, { readonly $id: string; readonly $defs?: object }>;
  const warnings: string[] = [];
  const warn = (...words: unknown[]): unknown => warnings.push(words.join(" "));
  const logger = { log: warn, warn, error: warn };
  const ajv = new Ajv2020({ strictSchema: true, strictTypes: false, logger });
  ajvFormats.default(ajv);
  for (const schema of Object.values(schemas)) ajv.addSchema(schema);
  for (const { $id, $defs = {} } of Object.values(schemas)) {
    expect(ajv.getSchema($id)).toBeDefined();
    for (const name of Object.keys($defs)) expect(ajv.getSchema(`${$id}#/$defs/${name}`)).toBeDefined();
  }
  expect(warnings).toEqual([]);
  expect(Object.keys(schemas)).toContain("scenario");
});

test("one schema is printed by its name", async () => {
  const { out } = await sandbank("schema", "scenario");
  expect(out).toContain('"$id": "scenario.schema.json"');
  expect(out).not.toContain("x-expected");
});
