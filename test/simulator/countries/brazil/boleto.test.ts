import { expect, test } from "vitest";
import {
  boletoBarcode,
  boletoLine,
  dueDateFactor,
} from "../../../../src/simulator/countries/brazil/boleto.ts";
import { Bug } from "../../../../src/simulator/engine/assertion.ts";

const boleto = {
  bankCode: "237",
  dueDate: "2026-12-15",
  amountMinor: 15_000,
  freeField: "1234567890123456789012345",
};

test.each([
  ["1970-01-01", 0],
  ["2000-07-02", 0],
  ["2000-07-03", 1000],
  ["2000-07-04", 1001],
  ["2025-02-21", 9999],
  ["2025-02-22", 1000],
  ["2026-11-30", 1646],
  ["2049-10-13", 9999],
  ["2049-10-14", 1000],
])("the factor of %s is %i", (date, factor) => {
  expect(dueDateFactor(date)).toBe(factor);
});

test("a boleto gives its barcode and its line", () => {
  const barcode = boletoBarcode(boleto);
  expect(barcode).toBe("23791166100000150001234567890123456789012345");
  expect(boletoLine(barcode)).toBe("23791.23454 67890.123457 67890.123457 1 16610000015000");
});

test("the line of a known boleto is reproduced", () => {
  const barcode = boletoBarcode({
    bankCode: "001",
    dueDate: "2007-12-31",
    amountMinor: 100,
    freeField: "0500940144816060680935031",
  });
  expect(barcode).toMatch(/^0019\d3737/);
  const known = "00193373700000001000500940144816060680935031";
  expect(barcode).toBe(known);
  expect(boletoLine(known)).toBe("00190.50095 40144.816069 06809.350314 3 37370000000100");
});

test("a boleto from impossible parts is a bug", () => {
  expect(() => boletoBarcode({ ...boleto, bankCode: "37" })).toThrow(Bug);
  expect(() => boletoBarcode({ ...boleto, amountMinor: 1e10 })).toThrow(Bug);
  expect(() => boletoBarcode({ ...boleto, amountMinor: 0.5 })).toThrow(Bug);
  expect(() => boletoBarcode({ ...boleto, freeField: "1" })).toThrow(Bug);
  expect(() => boletoLine("1")).toThrow(Bug);
});
