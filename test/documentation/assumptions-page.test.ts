import { areaPages, assumptionsPage } from "../../scripts/assumptions-page.ts";
import { expect, test } from "vitest";
import { areas } from "../../src/simulator/platform/assumptions/assumptions.ts";

const pages = new Map(areaPages().map(({ path, content }) => [path, content]));

test("the table has each assumption that can be set with its default and alternatives, and a link", () => {
  expect(assumptionsPage()).toContain(
    "| [`claim.attempts`](assumptions/pix-key-claims.md#claimattempts) | `3` | `2`, `4` | A code can be tried this many times. |",
  );
  // The assumptions of steps are listed by the resources themselves.
  expect(assumptionsPage()).toContain("[`autopilot.payout.settlement`](assumptions/autopilot.md");
});

test("the page of an area has what an assumption takes, and the reason for its default", () => {
  expect(pages.get("docs/assumptions/pix-key-claims.md")).toContain(`## \`claim.attempts\`

A code can be tried this many times. A resend starts the count again.

Takes a whole number from 1 to 1000; default \`3\`. Three attempts allow for a typing error and stop guessing.
`);
  expect(pages.get("docs/assumptions/charges.md")).toContain(
    "Set by its parts: `charge.window-min-days`, `charge.window-max-days`.",
  );
});

test("every fixed assumption is in the appendix, with a reason that is explained", () => {
  const [, appendix = ""] = assumptionsPage().split("## Fixed ones");
  const fixed = Object.values(areas).flatMap((area) =>
    Object.entries(area).flatMap(([id, { fixed: why }]) => (why === undefined ? [] : [{ id, why }])),
  );
  expect(fixed.length).toBeGreaterThan(50);
  for (const { id, why } of fixed) {
    expect(appendix).toContain(`| \`${id}\` | ${why} |`);
    expect(appendix).toContain(`- _${why}_: `);
  }
});
