import { expect, test } from "vitest";
import { seededChance, wordsOf } from "../../../src/simulator/engine/random.ts";

test("a uuid has version 4 and the right variant", () => {
  const chance = seededChance(1, "ids");
  for (let count = 0; count < 200; count++) {
    expect(chance.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test("a seed gives the same ids on every machine and in every release", () => {
  const chance = seededChance(7, "subscriptions");
  expect([chance.uuid(), chance.uuid()]).toMatchInlineSnapshot(`
    [
      "c5d05f29-fdd7-4ca4-9505-abad4494ec72",
      "1d9d8608-65c1-46eb-ac3e-657aac097d8d",
    ]
  `);
});

test("no two of a hundred thousand ids are the same, across streams and seeds", () => {
  const seen = new Set<string>();
  for (const seed of [0, 1, 2, 4_294_967_295]) {
    for (const stream of ["orders", "payouts"]) {
      const chance = seededChance(seed, stream);
      for (let count = 0; count < 12_500; count++) seen.add(chance.uuid());
    }
  }
  expect(seen.size).toBe(100_000);
});

test("words are spread evenly enough for a chance of one in ten to be one in ten", () => {
  const words = wordsOf(1, "faults");
  const hits = Array.from({ length: 20_000 }, (_, position) => words(position) / 2 ** 32 < 0.1);
  const share = hits.filter(Boolean).length / hits.length;
  expect(share).toBeGreaterThan(0.09);
  expect(share).toBeLessThan(0.11);
});
