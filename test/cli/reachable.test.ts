import { expect, test } from "vitest";
import { reachable } from "../../src/cli/serve.ts";

test.each([
  ["http://0.0.0.0:4010", "http://127.0.0.1:4010"],
  ["http://[::]:4010", "http://127.0.0.1:4010"],
  ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
  ["http://192.0.2.1:80", "http://192.0.2.1:80"],
])("a server at %s is shown at %s", (url, shown) => {
  expect(reachable(url)).toBe(shown);
});
