import { expect, test } from "vitest";
import { readAssumption, readAssumptions } from "../../../../src/simulator/platform/assumptions/reading.ts";

function mistakeIn(id: string, written: unknown): string {
  const read = readAssumption(id, written);
  if ("mistake" in read) return read.mistake;
  throw new Error(`${id} took ${JSON.stringify(read.value)}`);
}

test("an unknown id names the nearest ones", () => {
  expect(mistakeIn("charge.resend-dely", "PT1M")).toMatch(
    /^There is no assumption "charge.resend-dely". Did you mean charge.resend-delay\b/,
  );
});

test("the name of an inherited property is not an assumption", () => {
  expect(mistakeIn("constructor", "x")).toMatch(/^There is no assumption "constructor"/);
  expect(mistakeIn("__proto__", "x")).toMatch(/^There is no assumption "__proto__"/);
});

test("a statement cannot be set, and its refusal names its parts", () => {
  expect(mistakeIn("http.versions", "2")).toMatch(/^The assumption http.versions cannot be set: /);
  expect(mistakeIn("charge.window", "2")).toMatch(
    /What can be set is charge.window-min-days and charge.window-max-days\.$/,
  );
});

test("a flag is true or false", () => {
  expect(readAssumption("documents.validate", "false")).toEqual({ value: false });
  expect(mistakeIn("documents.validate", "no")).toBe(
    'The assumption documents.validate is true or false; found "no".',
  );
});

test("a duration is ISO 8601, does not run backwards and is at most a hundred years", () => {
  expect(readAssumption("refund.window", "P2M")).toEqual({ value: "P2M" });
  for (const wrong of ["5s", "-PT5S", "P101Y", "P999999999Y", "", 5, null]) {
    expect(mistakeIn("refund.window", wrong)).toMatch(
      /^The assumption refund.window is an ISO 8601 duration of at most a hundred years such as P90D; found /,
    );
  }
});

test("a duration in wall time is longer than nothing and has no days", () => {
  expect(readAssumption("webhook.timeout", "PT0.5S")).toEqual({ value: "PT0.5S" });
  for (const wrong of ["PT0S", "P1D", "P1M"]) {
    expect(mistakeIn("webhook.timeout", wrong)).toMatch(/hours, minutes or seconds such as PT10S/);
  }
});

test("the retry intervals are four durations, a list or one text with commas", () => {
  const value = ["PT1S", "PT2S", "PT3S", "PT4S"];
  expect(readAssumption("webhook.retry-intervals", value)).toEqual({ value });
  expect(readAssumption("webhook.retry-intervals", "PT1S, PT2S,PT3S,PT4S")).toEqual({ value });
  for (const wrong of ["PT1S", value.slice(1), [...value.slice(1), 4], [...value.slice(1), "soon"], {}]) {
    expect(mistakeIn("webhook.retry-intervals", wrong)).toMatch(
      /a list of 4 ISO 8601 durations such as PT1M,/,
    );
  }
});

test("a time of day has hours and minutes, and seconds if need be", () => {
  expect(readAssumption("charge.payer-cutoff", "23:30:15")).toEqual({ value: "23:30:15" });
  for (const wrong of ["24:00", "9:00", "22h", 22]) {
    expect(mistakeIn("charge.payer-cutoff", wrong)).toMatch(/is a time of day such as 23:59:59; found /);
  }
});

test("an amount is read as a text or a number, and kept with its decimals", () => {
  expect(readAssumption("payout.batch-threshold", 500)).toEqual({ value: "500.00" });
  expect(readAssumption("payout.batch-threshold", "0.1")).toEqual({ value: "0.10" });
  for (const wrong of ["0", "-5", "1.234", "1,50", true]) {
    expect(mistakeIn("payout.batch-threshold", wrong)).toMatch(
      /is an amount in BRL such as 15000.00; found /,
    );
  }
});

test("a count is a whole number within its limits", () => {
  expect(readAssumption("claim.resends", "5")).toEqual({ value: 5 });
  for (const wrong of [-1, 2.5, 1001, "many", ""]) {
    expect(mistakeIn("claim.resends", wrong)).toMatch(/is a whole number from 0 to 1000; found /);
  }
});

test("a choice is one of its listed values", () => {
  expect(readAssumption("webhook.egress", "hosted")).toEqual({ value: "hosted" });
  expect(mistakeIn("webhook.egress", "public")).toBe(
    'The assumption webhook.egress is one of local or hosted; found "public".',
  );
});

test("all mistakes are returned together, with the valid values", () => {
  const { values, mistakes } = readAssumptions({
    "claim.resends": "1",
    "claim.atempts": 2,
    "webhook.egress": "public",
  });
  expect(values).toEqual({ "claim.resends": 1 });
  expect(mistakes).toHaveLength(2);
});

test("values that contradict one another are a mistake", () => {
  expect(readAssumptions({ "charge.window-min-days": 12 }).mistakes).toEqual([
    "The assumption charge.window-min-days is 12, which is after charge.window-max-days, 10.",
  ]);
  expect(readAssumptions({ "charge.window-min-days": 12, "charge.window-max-days": 12 }).mistakes).toEqual(
    [],
  );
  expect(readAssumptions({ "charge.final-at": "18:00" }).mistakes).toHaveLength(1);
  expect(readAssumptions({ "payout.ted-opens": "18:00:00" }).mistakes).toHaveLength(1);
});
