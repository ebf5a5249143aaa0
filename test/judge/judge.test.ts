import { expect, test } from "vitest";
import { drawWith, FACTORS, wrongValues } from "./draws.ts";
import { firstValues } from "../partners/choices.ts";
import { judge, kindOfCause } from "./judging.ts";
import { accused } from "./table.ts";
import { Machine } from "../partners/machine.ts";

/** A busy machine is not a wrong verdict. */
const timeout = 300_000;

/** Right partners with an inbox and a worker on the slowest machine. The seed is that of the machine's delays. */
const SLOW_WORKERS = [
  ["receiver check", 8_100_036, { order: "updatedAt", unknown: "503 until known" }],
  ["receiver check", 8_200_012, { recognition: "object and status", unknown: "503 until known" }],
  ["books", 2_200_054, { order: "updatedAt", unknown: "kept for later", recognition: "object and status" }],
  ["books", 2_200_108, { order: "updatedAt", unknown: "kept for later", concurrency: "lock by account" }],
  ["books", 2_300_195, { unknown: "kept for later", concurrency: "lock by account" }],
  ["books", 510_000_777, { recognition: "object and status", speed: "queue with 15 ms per event" }],
] as const;

test.each(SLOW_WORKERS)(
  "%s does not accuse a slow worker: seed %i, %o",
  { timeout },
  async (tool, seed, own) => {
    const values = { ...firstValues, storage: "inbox with a worker", speed: "50 ms", ...own };
    expect(accused(await judge({ seed, values, wrong: [], factor: 100 }, [tool]))).toEqual([]);
  },
);

// The first payout has a name of the scenario, and the second a name that the system draws.
test("explore does not take the payout that is left for a new name of the missing one", async () => {
  const wrong = wrongValues.find(({ value }) => value.name === "gives up")!;
  const draw = drawWith(wrong);
  const values = { ...draw.values, names: "drawn for each second order", answers: "202 and a worker" };
  const [judged] = await judge({ ...draw, values }, ["explore calls"]);
  const kinds = judged?.found.map((one) => kindOfCause(one, draw.wrong));
  expect([judged?.verdict, kinds]).toEqual(["wrong", ["right", "right"]]);
});

// What a kill loses here is a payout of the night.
test.each(
  wrongValues
    .filter(({ tool }) => tool === "explore nights")
    .flatMap((wrong) => FACTORS.map((factor) => ({ ...wrong, factor }))),
)(
  "explore names a system that $value.name, on a machine $factor times slower",
  { timeout },
  async ({ factor, ...wrong }) => {
    const draw = { ...drawWith(wrong), factor };
    const [judged] = await judge(draw, ["explore nights"]);
    const kinds = new Set(judged?.found.map((one) => kindOfCause(one, draw.wrong)));
    expect([judged?.verdict, [...kinds]]).toEqual(["wrong", ["right"]]);
  },
);

test("a machine moves time only once all work of the process is done", async () => {
  using machine = new Machine(1, 1);
  const order: string[] = [];
  const timer = machine.sleep(50).then(() => order.push("timer"));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  order.push("work");
  await timer;
  expect(order).toEqual(["work", "timer"]);
  expect(machine.wall.now()).toBeGreaterThanOrEqual(50);
});

test("a machine of one seed is late in the same way each time", async () => {
  const late = async (): Promise<number> => {
    using machine = new Machine(100, 3);
    for (let count = 0; count < 5; count++) await machine.wall.pause(10);
    return machine.wall.now();
  };
  expect(await late()).toBe(await late());
});
