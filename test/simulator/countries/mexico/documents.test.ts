import { expect, test } from "vitest";
import { hasCurpForm, hasRfcForm } from "../../../../src/simulator/countries/mexico/documents.ts";

test.each([
  ["a CURP", "SABC560626MDFLRN01"],
  ["a CURP with a wrong check digit", "SABC560626MDFLRN02"],
  ["another CURP", "MOTR930411HJCRMN03"],
  ["a CURP of a person who is neither a man nor a woman", "HEGG560427XVZRRL04"],
])("%s, %s, has the form of a CURP", (_what, text) => {
  expect(hasCurpForm(text)).toBe(true);
});

test.each(["sabc560626mdflrn01", "SABC560626MXXLRN01", "SABC560626ZDFLRN01", "SABC560626MDFLRN0", ""])(
  "%j does not have the form of a CURP",
  (text) => {
    expect(hasCurpForm(text)).toBe(false);
  },
);

test.each(["GODE561231GR8", "APB830305QS6", "XAXX010101000", "GODE561231GR9"])(
  "%s has the form of an RFC",
  (text) => {
    expect(hasRfcForm(text)).toBe(true);
  },
);

test.each(["gode561231gr8", "GO561231GR8", "GODE561231GRB", "GODE56123GR8", ""])(
  "%j does not have the form of an RFC",
  (text) => {
    expect(hasRfcForm(text)).toBe(false);
  },
);
