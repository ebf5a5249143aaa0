import { describe, expect, test } from "vitest";
import { explore } from "../../src/library/explore.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { localWorlds } from "../../src/scenarios/world.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parse } from "yaml";
import { replayScenario } from "../../src/checks/explore/replay.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import type { ScenarioResult } from "../../src/scenarios/result.ts";
import { updateScenario } from "../../src/scenarios/update.ts";

function read(text: string) {
  const { scenarios, mistakes } = parseScenario(text, "a.yaml", scenarioContext());
  return { scenario: scenarios[0] as Scenario, mistakes: mistakes.map(formatMistake) };
}

async function run(text: string): Promise<ScenarioResult> {
  const { scenario, mistakes } = read(text);
  expect(mistakes).toEqual([]);
  return runScenario(scenario, { openWorld: localWorlds(openSandbox) });
}

const members = `name: n
steps:
  - repeat:
      times: 3
      as: member
      steps:
        - call: createSubscription
          body: { $use: subscription.monthly, externalId: "member-\${member}" }
          save: sub
        - call: getSubscription
          path: { id: "\${sub.id}" }
          expect: { body: { externalId: EXPECTED } }
`;

describe("the steps of a `repeat`", () => {
  test("are taken in rounds that count from 1, with names and keys of their own", async () => {
    const text = members.replace("EXPECTED", '"member-${member}"');
    const result = await run(
      `${text}  - expect: { resource: { collection: subscriptions, is: { $length: 3 } } }\n`,
    );
    expect(result).toMatchObject({ status: "passed" });
    expect(result.steps.map(({ title }) => title)).toEqual(["repeat 3 times", "expect resource"]);
  });

  test("name their round and their line if one of them fails", async () => {
    const { failure } = await run(members.replace("EXPECTED", "member-1"));
    expect(failure).toMatchObject({
      step: 1,
      title: "repeat 3 times, round 2: call getSubscription",
      line: 10,
      message: "body.externalId: expected member-1, found member-2",
    });
  });

  test("are not updated, because rounds find different values", async () => {
    const text = members.replace("EXPECTED", "member-1");
    const { failure } = await run(text);
    const { text: updated, left } = updateScenario(text, failure as NonNullable<typeof failure>);
    expect(updated).toBe(text);
    expect(left[0]?.message).toContain("the rounds of a `repeat` may find other values");
  });

  test("multiply if they are nested, and the world can be checked after the last round", async () => {
    const result = await run(`name: n
steps:
  - repeat:
      times: 2
      as: a
      steps:
        - repeat:
            times: 3
            as: b
            steps:
              - call: createSubscription
                body: { $use: subscription.monthly, externalId: "m-\${a}-\${b}" }
    expect: { resource: { collection: subscriptions, is: { $length: 6 } } }
`);
    expect(result).toMatchObject({ status: "passed" });
  });
});

/** Returns the mistakes of a file with these steps, which begin in line 3. */
function mistakesOf(steps: string, top = "name: n"): string[] {
  return read(`${top}\nsteps:\n${steps}`).mistakes;
}

describe("a wrong `repeat` is refused before the first step:", () => {
  const wrong: [what: string, steps: string, mistakes: string[]][] = [
    [
      "too many steps",
      "  - repeat: { times: 1000, steps: [{ repeat: { times: 101, steps: [{ call: listAccounts }] } }] }\n",
      [
        "a.yaml:3:22: The scenario would take 101,000 steps, its rounds included. The limit is 100,000. Make `times` smaller, or make several scenarios.",
      ],
    ],
    [
      "a number that is known only later",
      '  - call: listAccounts\n    save: all\n  - repeat: { times: "${all.count}", steps: [{ call: listAccounts }] }\n',
      [
        "a.yaml:5:22: `times` must be known before the first step; found `${all.count}`. Write a number, `${matrix.x}` or `${params.x}`.",
      ],
    ],
    [
      "a name of a round, used after the rounds",
      '  - repeat: { times: 2, steps: [{ call: listAccounts, save: all }] }\n  - call: listAccounts\n    query: { cursor: "${all.page}" }\n',
      ["a.yaml:5:22: `all` belongs to the rounds of the `repeat` at line 3. Use it there."],
    ],
    [
      "a number of the round under a known name",
      "  - call: listAccounts\n    save: all\n  - repeat: { times: 2, as: all, steps: [{ call: listAccounts }] }\n",
      ["a.yaml:5:29: `all` is saved at line 4 already. Choose another name."],
    ],
    [
      "mistakes inside a round",
      "  - repeat: { times: 2, steps: [{ call: listAcounts }, { cal: x }] }\n",
      [
        "a.yaml:3:41: There is no operation `listAcounts`. Did you mean `listAccounts`?",
        "a.yaml:3:58: The step has no verb; found `cal`. Did you mean `call`?",
      ],
    ],
    [
      "a nightly job",
      '  - repeat: { times: 2, steps: [{ request: "POST http://127.0.0.1:3000/jobs", tick: true }] }\n',
      [
        "a.yaml:3:79: `tick` has no meaning in a round: the job would run once more without its round. Write a step with it after the `repeat`.",
      ],
    ],
    ["no steps", "  - repeat: { times: 2 }\n", ["a.yaml:3:13: `steps` is required."]],
    [
      "no rounds",
      "  - repeat: { times: 0, steps: [{ call: listAccounts }] }\n",
      ["a.yaml:3:22: `times` must be at least 1; found 0."],
    ],
  ];
  test.each(wrong)("%s", (_, steps, mistakes) => {
    expect(mistakesOf(steps)).toEqual(mistakes);
  });

  test("params decide the number of rounds, also beyond the bound", () => {
    const top = "name: n\nparams: { members: { default: 200000 } }";
    expect(
      mistakesOf('  - repeat: { times: "${params.members}", steps: [{ call: listAccounts }] }\n', top),
    ).toEqual([expect.stringContaining("200,000 steps")]);
  });

  test("the same name can be saved in the rounds of several `repeat`", () => {
    const rounds = "  - repeat: { times: 2, as: n, steps: [{ call: listAccounts, save: all }] }\n";
    expect(mistakesOf(rounds + rounds)).toEqual([]);
  });
});

const accepted = members
  .replace("          expect: { body: { externalId: EXPECTED } }\n", "")
  .concat("        - act: subscription.accept\n          on: ${sub.id}\n          expect: { status: 200 }\n");

test("an exploration takes the rounds in each of its runs", async () => {
  const seen: string[] = [];
  const result = await explore({
    scenario: accepted,
    receiver: async (request) => {
      const { data } = (await request.json()) as { data: { externalId: string } };
      seen.push(data.externalId);
      return Response.json({ returnCode: "OK" });
    },
    probe: () => ({ seen }),
    reset: () => void seen.splice(0),
    depth: 1,
    only: ["twice"],
  });
  expect(result.events).toHaveLength(3);
  const [first] = result.divergences;
  expect([first, ...(first?.alike ?? [])]).toHaveLength(3);
});

test("a saved divergence writes the rounds as they are in the file", () => {
  const exploration = { scenario: read(accepted).scenario };
  const divergence = { deviations: [], title: "t", cause: { text: "c" } };
  const text = replayScenario(divergence as never, { exploration, ignore: [] } as never, {
    folder: ".",
    resetUrl: undefined,
  });
  expect(read(text).mistakes).toEqual([]);
  const { repeat } = (parse(text) as { steps: [{ repeat: { times: number; as: string; steps: object[] } }] })
    .steps[0];
  expect([repeat.times, repeat.as]).toEqual([3, "member"]);
  expect(repeat.steps.map((step) => Object.keys(step))).toEqual([
    ["call", "body", "save"],
    ["call", "path"],
    ["act", "on", "expect"],
  ]);
});
