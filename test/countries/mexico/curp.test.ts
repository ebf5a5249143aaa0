import { expect, test } from "vitest";
import { hasCurpForm, isCurp } from "../../../src/countries/mexico/curp.ts";

test.each(["SABC560626MDFLRN01", "MOTR930411HJCRMN03"])("%s is a CURP", (text) => {
  expect(hasCurpForm(text)).toBe(true);
  expect(isCurp(text)).toBe(true);
});

test("a wrong check digit leaves the form of a CURP", () => {
  expect(hasCurpForm("SABC560626MDFLRN02")).toBe(true);
  expect(isCurp("SABC560626MDFLRN02")).toBe(false);
});

test.each(["sabc560626mdflrn01", "SABC560626MXXLRN01", "SABC560626XDFLRN01", "SABC560626MDFLRN0", ""])(
  "%j has not the form of a CURP",
  (text) => {
    expect(hasCurpForm(text)).toBe(false);
  },
);
