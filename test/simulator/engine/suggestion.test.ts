import { expect, test } from "vitest";
import { listed, nearestWords, suggestion } from "../../../src/simulator/engine/suggestion.ts";

test.each([
  ["acept", ["reject", "accept"], "Did you mean accept?"],
  ["ACCEPT", ["reject", "accept"], "Did you mean accept?"],
  ["pay", ["accept", "reject"], "It can be accept or reject."],
  ["pay", ["accept"], "Only accept is known."],
  ["pay", [], "There is none to choose from."],
])("%s among %j: %s", (written, known, sentence) => {
  expect(suggestion(written, known)).toBe(sentence);
});

test("of many words the ten nearest are named, and the place that lists all", () => {
  const known = Array.from({ length: 11 }, (_, index) => `word${index}`);
  const ten = "word0, word1, word2, word3, word4, word5, word6, word7, word8 or word9";
  expect(suggestion("x", known)).toBe(`The nearest are ${ten}.`);
  expect(suggestion("x", known, { all: "GET /words" })).toBe(`The nearest are ${ten}. GET /words lists all.`);
  expect(suggestion("x", known.slice(0, 10), { all: "GET /words" })).toBe(`It can be ${ten}.`);
});

test("names of several words are near when they share words, in any order", () => {
  const states = ["a payout was paid", "an account is closed", "a subscription is active"];
  expect(nearestWords("a paid payout", states, 3)[0]).toBe("a payout was paid");
  expect(suggestion("the account closed", states, { quote: '"' })).toBe(
    'Did you mean "an account is closed"?',
  );
});

test("a text of any length is measured in bounded time", () => {
  expect(suggestion("x".repeat(10_000_000), ["accept"])).toBe("Only accept is known.");
});

test("a list ends with its conjunction", () => {
  expect([listed([]), listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b"], "and")]).toEqual([
    "",
    "a",
    "a, b or c",
    "a and b",
  ]);
});

test("a part of a name suggests that name", () => {
  const names = ["BANKING.PAID", "ORDER-PAYIN.PAID", "ORDER-PAYOUT.PAID", "PIX-OUT.PAID"];
  const options = { takesParts: true };
  expect(suggestion("PAYOUT.PAID", names, options)).toBe("Did you mean ORDER-PAYOUT.PAID?");
  expect(suggestion("payout.paid", names, { countMax: 3, ...options })).toContain("mean ORDER-PAYOUT.PAID");
});

test("the beginning of a name suggests the name, and not a shorter name that is as near", () => {
  expect(suggestion("dup", ["drop", "duplicate", "duplicate-late"])).toBe("Did you mean duplicate?");
});
