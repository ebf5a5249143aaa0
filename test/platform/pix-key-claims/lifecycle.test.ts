import type { Lifecycle } from "../../../src/core/lifecycle.ts";
import { claimLifecycle, validationLifecycle } from "../../../src/platform/pix-key-claims/lifecycle.ts";
import { expect, test } from "vitest";
import { transitionFrom } from "../../../src/core/lifecycle.ts";

function grid(lifecycle: Lifecycle): string[] {
  const actions = [...new Set(lifecycle.transitions.map(({ action }) => action))];
  const rows = lifecycle.states.map((state) =>
    [state, ...actions.map((action) => transitionFrom(lifecycle, state, action)?.to ?? "-")].join(" "),
  );
  return [["from", ...actions].join(" "), ...rows];
}

test("the lifecycle of a claim is this grid", () => {
  expect(grid(claimLifecycle)).toEqual([
    "from complete deny cancel",
    "PENDING COMPLETED DENIED CANCELED",
    "COMPLETED - - -",
    "DENIED - - -",
    "CANCELED - - -",
  ]);
});

test("the lifecycle of a validation is this grid", () => {
  expect(grid(validationLifecycle)).toEqual([
    "from confirm expire renew",
    "PENDING CONFIRMED EXPIRED PENDING",
    "CONFIRMED - - -",
    "EXPIRED - - PENDING",
  ]);
});
