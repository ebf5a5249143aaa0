import { expect, test } from "vitest";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { receiverReport } from "../../../src/checks/receiver/receiver-check.ts";

interface Row {
  readonly id: string;
  count: number;
}

/** Checks copies with a receiver that works on a copy some time after its answer. Shows at most the newest rows. */
async function checked(isRight: boolean, { lateMs = 300, newest = 1_000 } = {}): Promise<string[]> {
  using machine = new Machine(1, 1);
  const rows: Row[] = [];
  const handled = new Set<string>();
  const countAgain = async (row: Row): Promise<void> => {
    await machine.sleep(lateMs);
    if (!isRight) row.count += 1;
  };
  const { checks } = await receiverReport({
    url: "http://receiver.example/webhooks",
    seed: 1,
    wall: machine.wall,
    openSandbox,
    only: ["I1", "I3", "T6"],
    time: 10 * 3_600_000,
    endpoint: {
      receive: async (request) => {
        const text = await request.text();
        const body = JSON.parse(text) as { id?: string; data?: { id: string } };
        const id = body.id ?? body.data?.id ?? "";
        const row = rows.find((one) => one.id === id) ?? { id, count: 0 };
        if (row.count === 0) rows.push(row);
        if (handled.has(text)) void countAgain(row);
        else row.count += 1;
        handled.add(text);
        return Response.json({});
      },
      probe: () => structuredClone(rows.slice(-newest)),
    },
  });
  return checks.map(({ id, verdict }) => `${id} ${verdict}`);
}

test.each([300, 900])(
  "a check of copies is open if its objects change %i ms after it passed",
  async (lateMs) => {
    expect(await checked(false, { lateMs })).toContain("I1 inconclusive");
    expect(await checked(true, { lateMs })).toEqual(["I1 pass", "I3 pass", "T6 skipped"]);
  },
);

test("objects that leave a list of the newest objects have not changed", async () => {
  expect(await checked(true, { newest: 12 })).toEqual(["I1 pass", "I3 pass", "T6 skipped"]);
});
