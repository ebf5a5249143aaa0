import { expect, test } from "vitest";
import { hasRfcForm, isRfc } from "../../../src/countries/mexico/rfc.ts";

test.each(["GODE561231GR8", "APB830305QS6"])("%s is an RFC", (text) => {
  expect(hasRfcForm(text)).toBe(true);
  expect(isRfc(text)).toBe(true);
});

test.each(["XAXX010101000", "GODE561231GR9"])("%s has the form of an RFC and a wrong check digit", (text) => {
  expect(hasRfcForm(text)).toBe(true);
  expect(isRfc(text)).toBe(false);
});

test.each(["gode561231gr8", "GO561231GR8", "GODE561231GRB", "GODE56123GR8", ""])(
  "%j has not the form of an RFC",
  (text) => {
    expect(hasRfcForm(text)).toBe(false);
  },
);
