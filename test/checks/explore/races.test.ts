import { expect, test } from "vitest";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import type { ExploreOptions, ExploreResult } from "../../../src/checks/explore/exploration.ts";
import { Machine } from "../../partners/machine.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { runExploration } from "../../../src/checks/explore/run-exploration.ts";

type Options = Partial<Pick<ExploreOptions, "depth" | "repeat" | "only">>;

/** Handles a webhook, and notes its payout. */
type Handle = (code: string, paid: string[], machine: Machine) => Promise<void>;

const handleOnce: Handle = async (code, paid) => {
  if (!paid.includes(code)) paid.push(code);
};

/** Explores this many payouts with a system whose work takes wall time, so that races are tried several times. */
async function exploredWith(
  handle: Handle,
  payouts: number,
  { deviations, ...options }: Options & { readonly deviations?: readonly object[] | undefined },
): Promise<ExploreResult> {
  using machine = new Machine(1, 1);
  const steps = Array.from({ length: payouts }, (_, index) => [
    { call: "createPayout", body: { $use: "payout.pix", externalId: `p${index}-\${run}` } },
    { advance: "PT1H" },
  ]);
  let paid: string[] = [];
  const exploring: ExploreOptions = {
    scenario: { name: "n", deviations, steps: steps.flat() },
    receiver: async (request) => {
      const { code } = (await request.json()) as { readonly code: string };
      await handle(code, paid, machine);
      return Response.json({});
    },
    probe: () => paid.toSorted(),
    reset: () => void (paid = []),
    settleMs: 50,
    timeMs: 10 * 3_600_000,
    ...options,
  };
  return await runExploration(exploring, openSandbox, machine.wall);
}

/** Explores two events, with a race and with a copy of each of them. */
function explored(options: Options, deviations?: readonly object[]): Promise<ExploreResult> {
  return exploredWith(handleOnce, 2, { only: ["twice-at-once", "twice"], ...options, deviations });
}

async function runs(...given: Parameters<typeof explored>): Promise<number> {
  const { verdict, time } = await explored(...given);
  expect(verdict).toBe("converges");
  return assertDefined(time?.runs, "the number of runs");
}

test("a race is tried five times alone, and twice with another deviation", async () => {
  // Of the six pairs, only the pair of copies without a race is tried once.
  expect((await runs({ depth: 2 })) - (await runs({ depth: 1 }))).toBe(5 * 2 + 1);
  const { notTried } = await explored({ depth: 2 });
  expect(notTried).toContain(
    "races: sampled 5 times, and 2 times with another deviation, so a race is still possible",
  );
  expect((await explored({ depth: 1 })).notTried).toContain(
    "races: sampled 5 times, so a race is still possible",
  );
});

test("--repeat counts for a race in each schedule", async () => {
  expect((await runs({ depth: 1, repeat: 3 })) - (await runs({ depth: 1, repeat: 1 }))).toBe(2 * 2);
  expect((await runs({ depth: 2, repeat: 3 })) - (await runs({ depth: 1, repeat: 3 }))).toBe(5 * 3 + 1);
});

test("a saved schedule with a race with another deviation is tried five times", async () => {
  const saved = (kind: string) =>
    runs({}, [
      { event: 1, kind },
      { event: 2, kind: "twice" },
    ]);
  expect((await saved("twice-at-once")) - (await saved("twice"))).toBe(4);
});

test("a race that needs another deviation is found", async () => {
  // Once an earlier payout has come after a later one, copies of one moment are handled twice.
  const handle: Handle = async (code, paid, machine) => {
    if (paid.includes(code)) return;
    const isLoose = paid.some((one, index) => index > 0 && one < (paid[index - 1] ?? ""));
    if (isLoose) await machine.sleep(3);
    paid.push(code);
  };
  const of = (depth: number) => exploredWith(handle, 3, { depth, only: ["late", "twice-at-once"] });
  expect(await of(1)).toMatchObject({ verdict: "converges" });
  const { divergences } = await of(2);
  const names = divergences.map(({ deviations, cause }) => [
    cause.code,
    ...deviations.map(({ kind }) => kind),
  ]);
  expect(names).toContainEqual(["race-of-copies", "late", "twice-at-once"]);
});
