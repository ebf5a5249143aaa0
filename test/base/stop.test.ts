import { beforeAll, describe, expect, test } from "vitest";
import { assertDefined } from "../../src/simulator/engine/assertion.ts";
import type { Exploration } from "../../src/checks/explore/exploration.ts";
import { exploreScenario } from "../../src/checks/explore/explore.ts";
import { receiver } from "../partners/receiver.ts";
import { Machine } from "../partners/machine.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { receiverReport } from "../../src/checks/receiver/receiver-check.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";
import { scenarios } from "../partners/scenarios.ts";
import { Stop, Stopped } from "../../src/base/stop.ts";
import { stringify } from "yaml";

const HOUR_MS = 3_600_000;

/** A right system that answers after some time, and counts the webhooks and the readings of its state. */
function slowSystem(machine: Machine, answerMs: number) {
  const { receive, probe, reset } = receiver({}, machine);
  const counts = { uses: 0 };
  return {
    counts,
    receiver: async (request: Request) => {
      counts.uses += 1;
      await machine.sleep(answerMs);
      return receive(request);
    },
    probe: () => {
      counts.uses += 1;
      return probe();
    },
    reset: async () => reset(),
  };
}

function exploration(machine: Machine): Pick<Exploration, "scenario" | "wall" | "openSandbox" | "settleMs"> {
  const { scenarios: parsed } = parseScenario(stringify(scenarios.life), "life.yaml", scenarioContext());
  return {
    scenario: assertDefined(parsed[0], "a scenario"),
    wall: machine.wall,
    openSandbox,
    settleMs: 200,
  };
}

// The first answer loads a module, and meanwhile the time of a machine would pass.
beforeAll(async () => {
  const { sandbox } = await openSandbox();
  await sandbox.fetch("/sandbox/assumptions");
  await sandbox.close();
});

describe("nothing of the work goes on after the result", () => {
  test.each([
    ["within the baselines", 1_000, "not-tried"],
    ["within a schedule", 30_000, "undecided"],
  ])("of an exploration that reaches its time limit %s", async (_, timeMs, verdict) => {
    using machine = new Machine(1, 3);
    const { counts, ...system } = slowSystem(machine, 30);
    const { result } = await exploreScenario({ ...exploration(machine), ...system, timeMs });
    expect(result.verdict).toBe(verdict);
    expect(machine.wall.now()).toBeLessThan(timeMs + 500);
    const { uses } = counts;
    expect(uses).toBeGreaterThan(0);
    await machine.wall.pause(5 * HOUR_MS);
    expect(counts.uses).toBe(uses);
  });

  test("of an interrupted exploration of a system that never answers", async () => {
    using machine = new Machine(1, 3);
    const { counts, ...system } = slowSystem(machine, HOUR_MS);
    const interrupted = new AbortController();
    machine.wall.deadline(700, () => interrupted.abort());
    const { result } = await exploreScenario({
      ...exploration(machine),
      ...system,
      signal: interrupted.signal,
    });
    expect(result.reason).toContain("because it was interrupted");
    expect(machine.wall.now()).toBeLessThan(1_000);
    const { uses } = counts;
    await machine.wall.pause(5 * HOUR_MS);
    expect(counts.uses).toBe(uses);
  });

  test("of an interrupted receiver check", async () => {
    using machine = new Machine(1, 3);
    const { counts, receiver, probe } = slowSystem(machine, 30);
    const interrupted = new AbortController();
    machine.wall.deadline(8_000, () => interrupted.abort());
    const { checks } = await receiverReport({
      url: "http://receiver.example/webhooks",
      seed: 1,
      wall: machine.wall,
      openSandbox,
      endpoint: { receive: receiver, probe },
      signal: interrupted.signal,
    });
    expect(machine.wall.now()).toBeLessThan(8_500);
    expect(checks.at(0)?.verdict).toBe("pass");
    expect(checks.at(-1)?.cause).toBe("The check was interrupted before.");
    const { uses } = counts;
    await machine.wall.pause(5 * HOUR_MS);
    expect(counts.uses).toBe(uses);
  });
});

describe("after a stop", () => {
  test("its wall tells the time, ends open pauses and deadlines, and begins no others", async () => {
    using machine = new Machine(0, 1);
    const interrupted = new AbortController();
    using stop = new Stop(machine.wall, interrupted.signal);
    let ends = 0;
    stop.wall.deadline(HOUR_MS, () => (ends += 1));
    stop.wall.deadline(HOUR_MS, () => (ends += 1))[Symbol.dispose]();
    const pause = stop.wall.pause(HOUR_MS);
    interrupted.abort();
    await expect(pause).rejects.toBeInstanceOf(Stopped);
    expect(ends).toBe(1);
    expect(() => stop.wall.deadline(1, () => (ends += 1))).toThrow(Stopped);
    await expect(stop.wall.pause(0)).rejects.toBeInstanceOf(Stopped);
    expect([stop.wall.now(), stop.reason]).toEqual([0, "it was interrupted"]);
  });

  test("work that does not end is left soon, and the result of work that ends does not count", async () => {
    using machine = new Machine(0, 1);
    using stop = new Stop(machine.wall);
    stop.limit(1_000);
    await expect(stop.until(new Promise(() => {}))).rejects.toThrow("the time limit was reached");
    expect(machine.wall.now()).toBeLessThan(1_500);
    await expect(stop.until(Promise.resolve("late"))).rejects.toBeInstanceOf(Stopped);
  });
});
