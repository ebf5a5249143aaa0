import { expect, test } from "vitest";
import { headerObject } from "../../src/base/header-object.ts";

test("an object of headers keeps the order, the letters and each value of a list", () => {
  const list = [
    "Host",
    "a",
    "X-One",
    "1",
    "__proto__",
    "p",
    "x-one",
    "2",
    "Set-Cookie",
    "b",
    "set-cookie",
    "c",
  ];
  expect(Object.entries(headerObject(list))).toEqual([
    ["Host", "a"],
    ["X-One", ["1", "2"]],
    ["__proto__", "p"],
    ["Set-Cookie", ["b", "c"]],
  ]);
});
