import { expect, test } from "vitest";
import { Machine } from "../../partners/machine.ts";
import { nameOf } from "../../../src/checks/explore/deviations.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { runExploration } from "../../../src/checks/explore/run-exploration.ts";
import type { ExplorationResult, ExploreOptions } from "../../../src/checks/explore/exploration.ts";

const KINDS = ["call-refused", "call-lost", "call-answer-lost", "call-fails-after", "call-limited"] as const;

/** A charge that is due soon: a repeat after the leap of days is refused. */
const scenario = {
  name: "A charge is ordered",
  start: "2026-11-20T09:00:00-03:00",
  steps: [
    {
      call: "createSubscription",
      body: { $use: "subscription.monthly", externalId: "m-${run}" },
      save: "sub",
    },
    { act: "subscription.accept", on: "${sub.id}" },
    { request: "POST partner:/charges/${sub.id}/c-${run}" },
    { advance: "P4D" },
  ],
};

/** Explores a system that answers 202 first, and repeats a failed call after these pauses, by its own clock. */
async function exploredWith(
  pausesMs: readonly number[],
  { factor = 1, ...options }: Partial<ExploreOptions> & { readonly factor?: number } = {},
): Promise<ExplorationResult> {
  using machine = new Machine(factor, 1);
  let charges: Record<string, string> = {};
  const order = async (path: string, fetch: typeof globalThis.fetch): Promise<void> => {
    const [, , subscription = "", charge = ""] = path.split("/");
    for (const pauseMs of [0, ...pausesMs]) {
      await machine.sleep(pauseMs);
      const answer = await fetch(`/public/v1/banking/subscriptions/${subscription}/payments`, {
        method: "PUT",
        headers: { authorization: "Bearer acme-token", "content-type": "application/json" },
        body: JSON.stringify({
          externalId: charge,
          dueDate: "2026-11-23",
          amount: { currency: "BRL", value: "59.90" },
        }),
      }).catch(() => undefined);
      const status = answer?.status ?? 503;
      if (status < 500 && status !== 429) {
        charges[charge] = status < 400 ? "ordered" : "refused";
        return;
      }
    }
  };
  return await runExploration(
    {
      scenario,
      client: (request, { fetch }) => {
        const { pathname } = new URL(request.url.replace("partner:", "http://partner"));
        void order(pathname, fetch);
        return new Response("", { status: 202 });
      },
      probe: () => charges,
      reset: () => (charges = {}),
      only: KINDS,
      settleMs: 50,
      depth: 1,
      timeMs: 10 * 3_600_000,
      ...options,
    },
    openSandbox,
    machine.wall,
  );
}

test.each([
  ["after 100 ms", [100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100], 1],
  ["half a second later", [500, 500, 500, 500, 500], 1],
  ["half a second later, on a slow machine", [500, 500, 500, 500, 500], 10],
  ["with doubling pauses", [500, 1_000, 2_000, 4_000], 1],
  ["after four seconds", [4_000, 4_000], 1],
  ["after twenty seconds, which only the confirming run shows", [20_000, 20_000], 1],
] as const)("a system that repeats a failed call %s has not given up", async (_, pausesMs, factor) => {
  const only = pausesMs[0] > 5_000 ? (["call-lost"] as const) : KINDS;
  const { verdict, divergences } = await exploredWith(pausesMs, { factor, only });
  expect(divergences.map((one) => [nameOf(one.deviations), one.differences])).toEqual([]);
  expect(verdict).toBe("converges");
});

test("a system that repeats nothing has given up", async () => {
  const { divergences } = await exploredWith([]);
  expect(divergences.map(({ deviations: [one] }) => one?.kind)).toEqual([...KINDS]);
  expect(divergences[0]?.cause.code).toBe("gave-up");
});

test("a repeat after the leap of the clock is undecided, and no finding about giving up", async () => {
  const result = await exploredWith([12_800], { only: ["call-refused"] });
  expect([result.verdict, result.divergences]).toEqual(["undecided", []]);
  expect(result.notes).toEqual([
    expect.stringMatching(
      /^call-refused-2 is undecided: your system repeated createScheduledPayment only after/,
    ),
  ]);
});
