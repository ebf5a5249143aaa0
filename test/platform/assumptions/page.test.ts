import { expect, test } from "vitest";
import { assumptions } from "../../../src/platform/catalog.ts";
import { assumptionsPage } from "../../../src/platform/assumptions/page.ts";

test("the page has every assumption once, in the order of the catalogue", () => {
  const ids = [...assumptionsPage().matchAll(/^### `(.*)`$/gm)].map(([, id]) => id);
  expect(ids).toEqual(Object.keys(assumptions));
});

test("an entry of the page says what can be set, what leaves it open and why", () => {
  expect(assumptionsPage()).toContain(`### \`claim.attempts\`

A code can be tried this many times; a resend gives as many again.

- Takes a whole number from 1 to 1000; default \`3\`
- Left open: confirmation attempts are reset: how many there are is not shown.
- Because: Three tries forgive a slip of the finger and stop a guess.
`);
  expect(assumptionsPage()).toContain(
    "- Set by its parts: `charge.window-min-days`, `charge.window-max-days`\n",
  );
});
