import { expect, test } from "vitest";
import { stringify } from "yaml";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { CommandFailure } from "../../src/base/failures.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { localWorlds } from "../../src/scenarios/world.ts";
import { Machine } from "../partners/machine.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { type ScenarioContext, scenarioContext } from "../../src/scenarios/context.ts";
import type { ScenarioResult } from "../../src/scenarios/result.ts";

/** Runs a scenario with a system that answers a request at once, and shows the member as active later. */
async function runWith(
  waitFor: object,
  { unknown = { state: "waiting" } }: { readonly unknown?: object | null } = {},
): Promise<ScenarioResult> {
  using machine = new Machine(1, 1);
  const steps = [{ request: "POST partner:/members" }, { advance: "P1D", waitFor, expect: { happened: [] } }];
  const context = { ...scenarioContext(), isProbed: true };
  const { scenarios, mistakes } = parseScenario(stringify({ name: "n", steps }), "n.yaml", context);
  expect(mistakes).toEqual([]);
  let member: object | null = unknown;
  const work = async (): Promise<void> => {
    await machine.sleep(400);
    member = { state: "active" };
  };
  return await runScenario(assertDefined(scenarios[0], "a scenario"), {
    wall: machine.wall,
    openWorld: async (given) => ({
      ...(await localWorlds(openSandbox)(given)),
      partner: {
        client: async () => {
          void work();
          return new Response("", { status: 202 });
        },
        state: async () => {
          if (member === null) throw new CommandFailure("it was answered with 404.");
          return { members: [member] };
        },
      },
    }),
  });
}

test.each([
  ["shows another value", { state: "waiting" }],
  ["shows nothing yet", {}],
  ["cannot be read yet", null],
])("a step waits for the state that it needs: the probe %s", async (_, unknown) => {
  const result = await runWith({ probe: "$.members[*].state", is: "active" }, { unknown });
  expect(result).toMatchObject({ status: "passed" });
});

test.each([
  [{ probe: "$.members[0].state", is: "gone" }, 'it is "active"'],
  [{ probe: "$.members[0].id", is: { $any: "string" } }, "nothing is there"],
])("a step fails if the state that it needs does not come", async (waitFor, found) => {
  const { failure } = await runWith(waitFor);
  expect(failure).toMatchObject({ step: 2, title: "advance by P1D" });
  expect(failure?.message).toMatch(
    new RegExp(
      `^Failed to wait until \\$\\.members.* of the probe is .*: after 5\\.\\d s ${found}\\. .*--settle`,
    ),
  );
});

test("a step that waits for a missing value begins at once", async () => {
  expect(await runWith({ probe: "$.members[0].id", is: { $absent: true } })).toMatchObject({
    status: "passed",
  });
});

function mistakesOf(waitFor: object, more: Partial<ScenarioContext> = {}, top: object = {}): string[] {
  const text = stringify({ name: "n", ...top, steps: [{ advance: "P1D", waitFor }] });
  return parseScenario(text, "n.yaml", { ...scenarioContext(), ...more }).mistakes.map(formatMistake);
}

const RIGHT = { probe: "$.state", is: "active" };
const PROBED = { probe: { url: "http://127.0.0.1:3000/state" } };

test("a `waitFor` needs a probe, in the file or from the caller", () => {
  expect(mistakesOf(RIGHT)).toEqual([
    "n.yaml:4:5: `waitFor` needs a probe, the URL of your system's state. Write `probe: { url: … }` at the top of the file.",
  ]);
  expect(mistakesOf(RIGHT, {}, PROBED)).toEqual([]);
  expect(mistakesOf(RIGHT, { isProbed: true })).toEqual([]);
  expect(mistakesOf(RIGHT, { isPosted: true })).toEqual([
    "n.yaml:4:5: A posted scenario cannot send requests elsewhere. Run the file with `sandbank run`.",
  ]);
});

test.each([
  [{ ...RIGHT, probe: "state" }, "7:14: `state` is not a JSONPath"],
  [{ probe: "$.state" }, "7:7: `is` is required"],
  [{ ...RIGHT, was: 1 }, "9:7: `was` is not known here"],
  [{ ...RIGHT, is: { $gt: "x" } }, '9:14: "x" has no order'],
  [{ ...RIGHT, is: "${nobody}" }, "8:11: Nothing is saved as `nobody`"],
])("a wrong `waitFor` is reported before anything runs: %j", (waitFor, mistake) => {
  const [found] = mistakesOf(waitFor, {}, PROBED);
  expect(found).toContain(`n.yaml:${mistake}`);
});
