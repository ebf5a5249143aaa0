import { assumptionsPage, listAssumptions } from "../../../src/platform/assumptions/listing.ts";
import { expect, test } from "vitest";

test("the list shows the values of a world next to the defaults", () => {
  const list = listAssumptions({ "documents.validate": false, "claim.resends": 0 });
  expect(list.find(({ id }) => id === "documents.validate")).toMatchObject({ default: true, value: false });
  expect(list.find(({ id }) => id === "claim.resends")).toMatchObject({ default: 3, value: 0 });
});

test("a statement is listed as not settable", () => {
  expect(listAssumptions().find(({ id }) => id === "http.statuses")).toMatchObject({
    settable: false,
    default: null,
    type: { kind: "statement" },
  });
});

test("an entry of the page shows what can be set, what leaves it open and why", () => {
  expect(assumptionsPage()).toContain(`### \`claim.attempts\`

A code can be tried this many times; a resend gives as many again.

- Takes a whole number from 1 to 1000; default \`3\`
- Left open: confirmation attempts are reset: how many there are is not shown.
- Because: Three attempts allow for a typing error and stop guessing.
`);
  expect(assumptionsPage()).toContain(
    "- Set by its parts: `charge.window-min-days`, `charge.window-max-days`\n",
  );
  // The assumptions of steps are listed by the resources themselves.
  expect(assumptionsPage()).toContain("### `autopilot.payout.settlement`\n");
});
