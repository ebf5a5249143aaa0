import { expect, test } from "vitest";
import { stringify } from "yaml";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import { localWorlds, type OpenWorld, type ScenarioWorld } from "../../src/scenarios/world.ts";
import { Machine } from "../partners/machine.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { reporters, runReport, scenariosReport } from "../../src/scenarios/report.ts";
import { type RunOptions, runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import type { ScenarioResult } from "../../src/scenarios/result.ts";

/** A system that answers each request at once, and pays later on its own clock. */
async function runWith(
  work: (machine: Machine, pay: () => Promise<number>) => Promise<void>,
  {
    factor = 1,
    advanceMs = 0,
    steps = [{ advance: "PT1H" }, { expect: { webhooks: [{ event: "ORDER-PAYOUT.PAID" }] } }],
    ...options
  }: Partial<RunOptions> & {
    readonly factor?: number;
    readonly advanceMs?: number;
    readonly steps?: readonly object[];
  } = {},
): Promise<ScenarioResult> {
  using machine = new Machine(factor, 1);
  const scenario = { name: "n", steps: [{ request: "POST partner:/payouts" }, ...steps] };
  const { scenarios, mistakes } = parseScenario(stringify(scenario), "n.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const openWorld: OpenWorld = async (given) => {
    const world: ScenarioWorld = await localWorlds(openSandbox)(given);
    const pay = async (): Promise<number> => {
      const body = JSON.stringify({
        paymentMethod: "PIX",
        externalId: "order-1",
        accountId: "11111111-1111-4111-8111-111111111111",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "100.00" },
        description: "order-1",
      });
      const headers = { authorization: "Bearer acme-token", "idempotency-key": "key-order-1" };
      const { status } = await world.fetch("/order/v1/banking/order-payouts", {
        method: "POST",
        headers,
        body,
      });
      return status;
    };
    const client = async (): Promise<Response> => {
      void work(machine, pay);
      return new Response("", { status: 202 });
    };
    const fetch: ScenarioWorld["fetch"] = async (path, init) => {
      if (path.endsWith("/clock/advance")) await machine.sleep(advanceMs);
      return world.fetch(path, init);
    };
    return { ...world, fetch, partner: { client } };
  };
  return await runScenario(assertDefined(scenarios[0], "a scenario"), {
    openWorld,
    wall: machine.wall,
    ...options,
  });
}

test.each([1, 10, 100])(
  "the next step begins when a system has done its work after the answer, on a machine %i times slower",
  async (factor) => {
    const result = await runWith(
      async (machine, pay) => {
        await machine.work(1);
        await machine.sleep(100);
        await pay();
      },
      { factor },
    );
    expect(result).toMatchObject({ status: "passed" });
    expect(result).not.toHaveProperty("notes");
  },
);

test("an expectation of a step is checked at rest", async () => {
  const result = await runWith(
    async (machine, pay) => {
      await machine.sleep(100);
      await pay();
    },
    { steps: [{ advance: "PT5S", expect: { webhooks: [{ event: "ORDER-PAYOUT.PAID" }] } }] },
  );
  expect(result).toMatchObject({ status: "passed" });
});

test("a call that comes after a later step began is named, and --settle makes it part of its step", async () => {
  const later = async (machine: Machine, pay: () => Promise<number>): Promise<void> => {
    await machine.sleep(400);
    await pay();
  };
  const late = await runWith(later, { advanceMs: 500, steps: [{ advance: "PT1H" }] });
  expect(late.notes).toEqual([
    expect.stringMatching(/^createPayout of your system came during step 2, although .* --settle/),
  ]);
  const settled = await runWith(later, { advanceMs: 500, settleMs: 500, steps: [{ advance: "PT1H" }] });
  expect(settled).not.toHaveProperty("notes");
});

test("a run with a system of the partner says where its time went, in every form", async () => {
  const result = await runWith(async () => undefined, { steps: [{ advance: "PT1H" }] });
  const { time } = result;
  expect(time).toMatchObject({ runs: 1, shares: { rest: expect.closeTo(1, 1) } });
  const written: string[] = [];
  const reporter = reporters.pretty({ write: (text) => written.push(text) });
  reporter.ended([result]);
  const line = /^Time: 0\.\d s: waiting for rest \d+ %/m;
  expect(written.join("")).toMatch(line);
  expect(scenariosReport({ results: [result] }).output).toMatch(line);
  expect(runReport([result])).toMatchObject({ scenarios: [{ time }] });
});

test("a run without a system of the partner has no times in its report", async () => {
  const text = stringify({ name: "n", steps: [{ advance: "PT1H" }] });
  const { scenarios } = parseScenario(text, "n.yaml", scenarioContext());
  const result = await runScenario(assertDefined(scenarios[0], "a scenario"), {
    openWorld: localWorlds(openSandbox),
  });
  expect(result).not.toHaveProperty("time");
  expect(scenariosReport({ results: [result] })).not.toHaveProperty("output");
});
