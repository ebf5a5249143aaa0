import { expect, test } from "vitest";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { receiverReport } from "../../../src/checks/receiver/receiver-check.ts";

/** Checks a burst with a receiver that stores one event of each time. Its rows may have the sum of all events. */
async function burst(isLossy: boolean): Promise<string | undefined> {
  using machine = new Machine(1, 1);
  const rows: { id: string; count: number }[] = [];
  let sum = 0;
  let storedMs = -1;
  const { checks } = await receiverReport({
    url: "http://receiver.example/webhooks",
    seed: 1,
    wall: machine.wall,
    openSandbox,
    only: ["T4"],
    endpoint: {
      receive: async (request) => {
        const { id = "" } = (await request.json()) as { id?: string };
        const read = sum;
        const isTaken = isLossy && storedMs === machine.wall.now();
        storedMs = machine.wall.now();
        await machine.sleep(1);
        if (isTaken) return Response.json({});
        rows.push({ id, count: 1 });
        sum = read + 1;
        return Response.json({});
      },
      probe: () => structuredClone({ rows, sum }),
    },
  });
  return checks.find(({ id }) => id === "T4")?.code;
}

test("an event of a burst without a trace was lost, and its sum was not overwritten", async () => {
  expect(await burst(true)).toBe("acknowledged-before-stored");
});

test("a sum of a burst that is too small, with a trace of each event, was overwritten", async () => {
  expect(await burst(false)).toBe("lost-update");
});
