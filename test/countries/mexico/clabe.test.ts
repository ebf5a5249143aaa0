import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Bug } from "../../../src/engine/assertion.ts";
import { bankCodeOf, clabe, isClabe } from "../../../src/countries/mexico/clabe.ts";

test.each(["032180000118359719", "002010077777777771", "646180123456789013"])("%s is a CLABE", (text) => {
  expect(isClabe(text)).toBe(true);
});

test.each(["032180000118359710", "03218000011835971", "0321800001183597190", "03218000011835971X", ""])(
  "%j is no CLABE",
  (text) => {
    expect(isClabe(text)).toBe(false);
  },
);

test("a CLABE is built out of bank, city and account", () => {
  expect(clabe({ bank: "646", city: "180", account: "12345678901" })).toBe("646180123456789013");
  expect(() => clabe({ bank: "64", city: "6180", account: "12345678901" })).toThrow(Bug);
});

test("any one wrong digit makes a CLABE invalid", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^\d{11}$/),
      fc.nat(17),
      fc.integer({ min: 1, max: 9 }),
      (account, place, by) => {
        const right = clabe({ bank: "646", city: "180", account });
        expect(isClabe(right)).toBe(true);
        const wrong = (Number(right[place]) + by) % 10;
        expect(isClabe(right.slice(0, place) + wrong + right.slice(place + 1))).toBe(false);
      },
    ),
  );
});

test("the bank of a CLABE has Banxico's five digits", () => {
  expect(bankCodeOf("646180123456789013")).toBe("90646");
  expect(bankCodeOf("002010077777777771")).toBe("40002");
  expect(bankCodeOf("999010077777777771")).toBeUndefined();
});
