import type { Effect } from "../../../src/platform/faults/effect.ts";
import { expect, test } from "vitest";
import { effectFamilies, effectNames, effectOf } from "../../../src/platform/faults/effects.ts";
import { scenarioVocabulary } from "../../../src/scenarios/vocabulary.ts";

const { effects, effectFields } = scenarioVocabulary();

test("no two families share the name of an effect", () => {
  const count = Object.values(effectFamilies).reduce((sum, family) => sum + Object.keys(family).length, 0);
  expect(effectNames()).toHaveLength(count);
});

test.each(["webhook", "api"] as const)("a scenario accepts exactly the effects of the %s", (side) => {
  const known = effectNames().filter((name) => effectOf(name).on === side);
  expect([...effects[side]].sort()).toEqual([...known].sort());
});

test("a scenario accepts exactly the fields of each effect", () => {
  const fields = effectNames().flatMap((name) => {
    const own = Object.keys(effectOf(name).fields);
    return own.length === 0 ? [] : [[name, own.sort()] as const];
  });
  const written = Object.entries(effectFields).map(([name, own]) => [name, [...own].sort()]);
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(fields));
});

test("every effect describes what it does on the wire and which mistake it uncovers", () => {
  for (const family of Object.values(effectFamilies)) {
    for (const { onTheWire, uncovers } of Object.values<Effect>(family)) {
      expect(onTheWire).toMatch(/^[A-Z\d].*\.$/);
      expect(uncovers).toMatch(/^[A-Z].*\.$/);
    }
  }
});
