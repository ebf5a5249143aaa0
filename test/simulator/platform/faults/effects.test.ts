import type { Effect } from "../../../../src/simulator/platform/faults/effect.ts";
import { expect, test } from "vitest";
import { effectFamilies, effectNames } from "../../../../src/simulator/platform/faults/effects.ts";

test("no two families share the name of an effect", () => {
  const count = Object.values(effectFamilies).reduce((sum, family) => sum + Object.keys(family).length, 0);
  expect(effectNames()).toHaveLength(count);
});

test("every effect describes what it does on the wire and which mistake it uncovers", () => {
  for (const family of Object.values(effectFamilies)) {
    for (const { onTheWire, uncovers } of Object.values<Effect>(family)) {
      expect(onTheWire).toMatch(/^[A-Z\d].*\.$/);
      expect(uncovers).toMatch(/^[A-Z].*\.$/);
    }
  }
});
