import { expect, test } from "vitest";
import { exploreScenario } from "../../../src/checks/explore/explore.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";
import { stringify } from "yaml";
import { systemWall } from "../../../src/base/wall.ts";

const SCENARIO = {
  name: "A payout comes back",
  assumptions: { "payout.returns": "canceled-event" },
  steps: [
    { call: "createPayout", body: { $use: "payout.pix", externalId: "p-${run}" }, save: "payout" },
    { advance: "PT1H" },
    { act: "payout.return", on: "${payout.id}" },
    { advance: "PT1H" },
  ],
};

async function explored(receiver: (event: { readonly status: string }) => void, probe: () => unknown) {
  const context = { ...scenarioContext(), isProbed: true };
  const { result } = await exploreScenario({
    scenario: parseScenario(stringify(SCENARIO), "n.yaml", context).scenarios[0]!,
    wall: systemWall,
    openSandbox,
    receiver: async (request) => {
      receiver((await request.json()) as { readonly status: string });
      return Response.json({});
    },
    probe,
    reset: async () => {},
    only: ["twice"],
  });
  return result;
}

test("a probe that shows the same in every run leaves an exploration undecided", async () => {
  const result = await explored(
    () => undefined,
    () => ({ payouts: [] }),
  );
  expect(result.verdict).toBe("undecided");
  expect(result.cells.map(({ result }) => result)).toEqual(["undecided", "undecided"]);
  expect(result.decidedBy).toEqual(["a probe that reads the changed data, and not a cache or a copy"]);
});

test("a state that comes back to its start converges, because each webhook changes it", async () => {
  let open = 0;
  const result = await explored(
    ({ status }) => (open = status === "PAID" ? 1 : 0),
    () => ({ open }),
  );
  expect(result.verdict).toBe("converges");
});
