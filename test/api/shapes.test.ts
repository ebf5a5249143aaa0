import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shapes } from "../../scripts/shapes.ts";
import { definitions } from "../../src/api/schemas.ts";

const generated = await shapes();

test("the types in the repository are those of the schemas", async () => {
  const kept = await readFile(new URL("../../src/api/generated/shapes.ts", import.meta.url), "utf8");
  expect(kept).toBe(generated);
});

test("every definition has a name among the shapes", () => {
  const [union = ""] = /type ShapeName =[^;]+/.exec(generated) ?? [];
  const names = Array.from(union.matchAll(/"(\w+)"/g), ([, name]) => name);
  expect(names).toEqual([...definitions().keys()].toSorted());
});

test("every property of a shape is readonly", () => {
  const properties = generated.split("\n").filter((line) => /^\s+[^|\s][^|]*\??: /.test(line));
  expect(properties.filter((line) => !/^\s+readonly /.test(line))).toEqual([]);
});
