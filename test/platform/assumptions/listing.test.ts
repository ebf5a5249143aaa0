import { expect, test } from "vitest";
import { assumptions } from "../../../src/platform/catalog.ts";
import { listAssumptions } from "../../../src/platform/assumptions/listing.ts";

test("the list has every assumption once, with its default as its value", () => {
  const list = listAssumptions();
  expect(list.map(({ id }) => id)).toEqual(Object.keys(assumptions));
  for (const listed of list) expect(listed.value).toBe(listed.default);
});

test("the list shows what a world was made with beside the default", () => {
  const list = listAssumptions({ "documents.validate": false, "claim.resends": 0 });
  expect(list.find(({ id }) => id === "documents.validate")).toMatchObject({ default: true, value: false });
  expect(list.find(({ id }) => id === "claim.resends")).toMatchObject({ default: 3, value: 0 });
});

test("a statement is listed as not settable", () => {
  expect(listAssumptions().find(({ id }) => id === "http.statuses")).toMatchObject({
    settable: false,
    default: null,
    type: { kind: "statement" },
  });
});
