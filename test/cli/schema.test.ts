import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { sandbank } from "./command.ts";

interface Published {
  readonly $id: string;
  readonly $defs?: object;
}

const schemas = globSync("schemas/*.schema.json").map(
  (file) => JSON.parse(readFileSync(file, "utf8")) as Published,
);

/** A validator of another program, in its strictest mode. */
function strictAjv(warnings: string[] = []): Ajv2020 {
  const warn = (...words: unknown[]): unknown => warnings.push(words.join(" "));
  const ajv = new Ajv2020({ strict: true, logger: { log: warn, warn, error: warn } });
  ajvFormats.default(ajv);
  for (const schema of schemas) ajv.addSchema(schema);
  return ajv;
}

test.each(schemas)(
  "ajv compiles $$id of the package in strict mode, without a warning",
  ({ $id, $defs = {} }) => {
    const warnings: string[] = [];
    const ajv = strictAjv(warnings);
    expect(ajv.getSchema($id)).toBeDefined();
    for (const name of Object.keys($defs)) expect(ajv.getSchema(`${$id}#/$defs/${name}`)).toBeDefined();
    expect(warnings).toEqual([]);
  },
);

test("the schema for editors accepts every shipped scenario", () => {
  const check = strictAjv().getSchema("scenario.schema.json");
  const refused: Record<string, unknown> = {};
  let count = 0;
  for (const file of globSync("{scenarios,examples}/**/*.yaml")) {
    const text = readFileSync(file, "utf8");
    if (!text.includes("scenario.schema.json")) continue;
    for (const document of parseAllDocuments(text, { merge: true })) {
      count += 1;
      if (check?.(document.toJS()) !== true) refused[file] = check?.errors;
    }
  }
  expect(refused).toEqual({});
  expect(count).toBeGreaterThan(100);
});

test.each([
  [
    "a field that the body of the operation does not have",
    { call: "createPayout", body: { externalID: "a" } },
  ],
  ["a field of another effect", { fault: { effect: "duplicate", by: "PT5M" } }],
  ["an event that nobody sends", { fault: { effect: "duplicate", event: "ORDER-PAYOUT.PAYED" } }],
])("the schema for editors refuses %s", (_, step) => {
  const check = strictAjv().getSchema("scenario.schema.json");
  expect(check?.({ name: "a", steps: [step] })).toBe(false);
});

test("the schema for editors accepts a wrong body if the step expects a refusal", () => {
  const check = strictAjv().getSchema("scenario.schema.json");
  const step = { call: "createPayout", body: { externalID: "a" }, expect: { status: 400 } };
  expect(check?.({ name: "a", steps: [step] })).toBe(true);
});

test("sandbank schema prints the file of the package", async () => {
  const { out } = await sandbank("schema", "scenario");
  expect(out).toBe(readFileSync("schemas/scenario.schema.json", "utf8"));
  const all = JSON.parse((await sandbank("schema")).out) as object;
  expect(Object.values(all)).toEqual(expect.arrayContaining(schemas));
});
