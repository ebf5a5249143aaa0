import { expect, test } from "vitest";
import { fingerprint } from "../../src/engine/fingerprint.ts";
import fc from "fast-check";

test("equal texts have equal fingerprints, of 32 hex digits, on every machine", () => {
  expect(fingerprint("a body")).toBe(fingerprint("a body"));
  expect(fingerprint("")).toMatch(/^[0-9a-f]{32}$/);
});

test("texts that differ have fingerprints that differ, in every part", () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.string(), (text) => {
      const print = fingerprint(text);
      for (const part of [print, print.slice(0, 16), print.slice(16)]) {
        expect(seen.get(part) ?? text).toBe(text);
        seen.set(part, text);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("one digit in a long body changes the fingerprint", () => {
  const body = (amount: string): string => JSON.stringify({ amount, filler: "x".repeat(500) });
  expect(fingerprint(body("10.00"))).not.toBe(fingerprint(body("10.01")));
});
