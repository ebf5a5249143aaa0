import { expect, test } from "vitest";
import { formatMoney, money, parseMoney } from "../../../src/simulator/engine/money.ts";
import fc from "fast-check";

test.each([
  ["BRL", "10.5", "10.50"],
  ["BRL", "0.01", "0.01"],
  ["BRL", 10.5, "10.50"],
  ["BRL", 7, "7.00"],
  ["BRL", "007.10", "7.10"],
  ["BRL", "90071992547409.91", "90071992547409.91"],
  ["JPY", "1500", "1500"],
])("%s %j is written %s", (currency, value, written) => {
  expect(formatMoney(parseMoney(currency, value)!)).toBe(written);
});

test.each([
  ["BRL", "0"],
  ["BRL", "0.00"],
  ["BRL", "-1"],
  ["BRL", "1.001"],
  ["BRL", "1,50"],
  ["BRL", " 1"],
  ["BRL", "1."],
  ["BRL", ".5"],
  ["BRL", "1e3"],
  ["BRL", ""],
  ["BRL", "90071992547409.92"],
  ["BRL", 0.001],
  ["BRL", Number.NaN],
  ["BRL", Infinity],
  ["BRL", 1e21],
  ["JPY", "1.5"],
])("%s %j is not an amount", (currency, value) => {
  expect(parseMoney(currency, value)).toBeUndefined();
});

test("a written amount is read back as the same amount", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.constantFrom("BRL", "JPY"),
      (minor, currency) => {
        const amount = money(currency, minor);
        expect(parseMoney(currency, formatMoney(amount))).toEqual(amount);
      },
    ),
  );
});
