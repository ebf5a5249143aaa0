import { coveringScenarios } from "../scenario-runs.ts";
import { expect, test } from "vitest";
import { sandbank, serve } from "./command.ts";

test("all kinds of scenarios run against a running sandbank", { timeout: 240_000 }, async () => {
  await using server = await serve();
  const files = new Set(coveringScenarios().map(({ file }) => file));
  const { code, out } = await sandbank("run", ...files, "--target", server.url);
  expect(out).not.toContain("✗");
  expect(code).toBe(0);
});
