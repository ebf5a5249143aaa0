import { expect, test } from "vitest";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";
import { systemWall } from "../../../src/base/wall.ts";

const SCENARIO = {
  name: "A payout",
  steps: [
    { call: "createPayout", body: { $use: "payout.pix", externalId: "p-${run}" } },
    { advance: "PT1H" },
  ],
};

test("a probe that shows the same in every run gets a note", async () => {
  const context = { ...scenarioContext(), isProbed: true };
  const { result } = await exploreScenario({
    scenario: parseScenario(stringify(SCENARIO), "n.yaml", context).scenarios[0]!,
    wall: systemWall,
    openSandbox,
    receiver: () => Response.json({}),
    probe: () => ({ payouts: [] }),
    reset: async () => {},
    only: ["twice"],
  });
  expect(result.verdict).toBe("converges");
  expect(result.notes.join(" ")).toContain("The probe shows the same before and after the baseline");
});
