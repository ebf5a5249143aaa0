import { assumptionsPage } from "../../scripts/assumptions-page.ts";
import { expect, test } from "vitest";

test("an entry of the page shows what can be set, what leaves it open and why", () => {
  expect(assumptionsPage()).toContain(`### \`claim.attempts\`

A code can be tried this many times. A resend starts the count again.

- Takes a whole number from 1 to 1000; default \`3\`
- Alternatives: \`2\`, \`4\`
- Left open: confirmation attempts are reset: how many there are is not shown.
- Because: Three attempts allow for a typing error and stop guessing.
- Observed: The number of wrong codes before the code was EXPIRED.
`);
  expect(assumptionsPage()).toContain(
    "- Set by its parts: `charge.window-min-days`, `charge.window-max-days`\n",
  );
  // The assumptions of steps are listed by the resources themselves.
  expect(assumptionsPage()).toContain("### `autopilot.payout.settlement`\n");
});
