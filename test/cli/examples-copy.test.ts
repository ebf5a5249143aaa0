import { expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { sandbank } from "./command.ts";

test("examples copy prints the file of each name in its help", async () => {
  const { out } = await sandbank("examples", "copy", "--help");
  const [, names = ""] = /Name of the file:([^[]+)\[/.exec(out) ?? [];
  const known = names.split(",").map((name) => name.replaceAll(/\s+/g, ""));
  expect(known).toContain("receiver-typescript");
  for (const name of known)
    expect((await sandbank("examples", "copy", name)).out.length).toBeGreaterThan(200);
  const compose = await sandbank("examples", "copy", "compose");
  expect(compose.out).toBe(readFileSync("examples/compose.yaml", "utf8"));
  const unknown = await sandbank("examples", "copy", "compos");
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("Did you mean compose?")]);
});
