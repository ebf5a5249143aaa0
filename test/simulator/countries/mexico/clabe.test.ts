import { expect, test } from "vitest";
import { Bug } from "../../../../src/simulator/engine/assertion.ts";
import { bankCodeOf, clabe } from "../../../../src/simulator/countries/mexico/clabe.ts";

test.each(["032180000118359719", "002010077777777771", "646180123456789013"])(
  "bank, city and account of %s give its check digit",
  (text) => {
    const account = { bank: text.slice(0, 3), city: text.slice(3, 6), account: text.slice(6, 17) };
    expect(clabe(account)).toBe(text);
  },
);

test("a part of a wrong length is a bug", () => {
  expect(() => clabe({ bank: "64", city: "6180", account: "12345678901" })).toThrow(Bug);
});

test("the bank of a CLABE has Banxico's five digits", () => {
  expect(bankCodeOf("646180123456789013")).toBe("90646");
  expect(bankCodeOf("002010077777777771")).toBe("40002");
  expect(bankCodeOf("999010077777777771")).toBeUndefined();
});
