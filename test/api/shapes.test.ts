import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shapes } from "../../scripts/shapes.ts";
import { definitions } from "../../src/api/schemas.ts";

const generated = await shapes();

test("the types in the repository are what the schemas give", async () => {
  const kept = await readFile(new URL("../../src/api/generated/shapes.ts", import.meta.url), "utf8");
  expect(kept).toBe(generated);
});

test("every definition has a type of its name", () => {
  const names = [...generated.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set([...definitions().keys(), "Shapes"]));
});

test("every property and every list of a shape is readonly", () => {
  const properties = generated.split("\n").filter((line) => /^\s+[^*/\s][^*]*\??: /.test(line));
  expect(properties.filter((line) => !/^\s+readonly /.test(line))).toEqual([]);
  expect(generated).not.toMatch(/(?<!readonly )\b[A-Za-z]\w*\[\]/);
  expect(generated).not.toContain("[k: string]");
});
