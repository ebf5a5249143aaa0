import { expect, test } from "vitest";
import { drawOf, type ToolName } from "./choices.ts";
import { type Judged, judge, kindOfCause, tools } from "./judging.ts";
import { accused } from "./table.ts";
import { Machine } from "./machine.ts";

/** The seed of the short draw. `npm run judge -- --seed N --partners M` draws others. */
const SEED = 7;

/** A busy machine is not a wrong verdict. */
const timeout = 300_000;

async function judged(partners: readonly number[], tool: ToolName): Promise<Judged[]> {
  const all: Judged[] = [];
  for (const index of partners) all.push(...(await judge(drawOf(SEED, index), [tool])));
  return all;
}

/** The partners of the draw that are right, or in which one value is wrong. */
function partnersWith(wrong: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => index * 3 + wrong);
}

test.each(Object.keys(tools) as ToolName[])(
  "no right partner is accused by %s",
  { timeout },
  async (tool) => {
    expect(accused(await judged(partnersWith(0, 1), tool))).toEqual([]);
  },
);

/** Right partners of other seeds, with an inbox and a worker, on the slowest machine. */
test.each([
  ["receiver check", 81, 36],
  ["receiver check", 82, 12],
  ["books", 22, 54],
  ["books", 22, 108],
  ["books", 23, 195],
] as const)(
  "%s does not accuse a slow worker: seed %i, partner %i",
  { timeout },
  async (tool, seed, partner) => {
    const draw = drawOf(seed, partner);
    expect([draw.values.storage, draw.factor, draw.wrong]).toEqual(["inbox with a worker", 100, []]);
    expect(accused(await judge(draw, [tool]))).toEqual([]);
  },
);

test.each(["explore webhooks", "explore calls", "books"] as const)(
  "%s finds what is wrong, or says that it does not know, and never names another cause",
  { timeout },
  async (tool) => {
    const all = await judged(partnersWith(1, 8), tool);
    const missed = all.filter(({ verdict }) => verdict === "right");
    const misnamed = all.filter(
      ({ found: [first], truth }) => first !== undefined && kindOfCause(first.cause, truth) !== "right",
    );
    expect([missed, misnamed]).toEqual([[], []]);
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
