import { listAssumptions } from "../../../../src/simulator/platform/assumptions/listing.ts";
import { observedAssumptions } from "../../../../src/checks/calibration/observed-assumptions.ts";
import { expect, test } from "vitest";

test("the list shows the values of a world next to the defaults", () => {
  const list = listAssumptions({ "documents.validate": false, "claim.resends": 0 });
  expect(list.find(({ id }) => id === "documents.validate")).toMatchObject({ default: true, value: false });
  expect(list.find(({ id }) => id === "claim.resends")).toMatchObject({ default: 3, value: 0 });
});

test("the list shows how traffic shows an assumption, or why it cannot", async () => {
  const list = await observedAssumptions();
  expect(list.find(({ id }) => id === "auth.header")).toMatchObject({
    observed: "The header of a 401.",
    notObserved: null,
  });
  expect(list.find(({ id }) => id === "order.account")).toMatchObject({
    observed: null,
    notObserved: "No answer names the receiving account.",
  });
});

test("a statement is listed as not settable", () => {
  expect(listAssumptions().find(({ id }) => id === "http.versions")).toMatchObject({
    settable: false,
    default: null,
    type: { kind: "statement" },
  });
});
