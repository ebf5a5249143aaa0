import { expect, test } from "vitest";
import { explore } from "../../../src/library/explore.ts";
import type { ExplorationResult, ExploreOptions } from "../../../src/checks/explore/exploration.ts";

const NIGHTLY = { request: "POST partner:/nightly" };

/** A subscription, and a nightly job that pays a bonus to each accepted member. */
function scenarioWith(steps: readonly object[]): object {
  return {
    name: "A bonus for each member",
    start: "2026-11-20T09:00:00-03:00",
    steps: [
      {
        call: "createSubscription",
        body: { $use: "subscription.monthly", externalId: "m-${run}" },
        save: "sub",
      },
      { act: "subscription.accept", on: "${sub.id}" },
      ...steps,
    ],
  };
}

/** Explores a system whose nightly job depends on a webhook. It stops paying once it has seen a payout. */
async function exploredWith(
  steps: readonly object[],
  options: Partial<ExploreOptions> = {},
): Promise<ExplorationResult> {
  let accepted: string[] = [];
  let paid: string[] = [];
  return explore({
    scenario: scenarioWith(steps),
    client: async (_, { fetch }) => {
      for (const member of accepted.filter((one) => !paid.includes(one))) {
        const answer = await fetch("/order/v1/banking/order-payouts", {
          method: "POST",
          headers: {
            authorization: "Bearer acme-token",
            "idempotency-key": `bonus-${member}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({
            externalId: `bonus-${member}`,
            accountId: "11111111-1111-4111-8111-111111111111",
            paymentMethod: "PIX",
            paymentData: { pixKey: "ok@pix.example" },
            amount: { currency: "BRL", value: "10.00" },
            description: "A bonus",
          }),
        });
        if (answer.ok) paid.push(member);
      }
      return Response.json({});
    },
    receiver: async (request) => {
      const { event, data } = (await request.json()) as { event: string; data?: { externalId: string } };
      const member = data?.externalId ?? "";
      if (event === "SUBSCRIPTION.ACCEPTED" && !accepted.includes(member)) accepted.push(member);
      return Response.json({});
    },
    probe: () => ({ accepted, paid }),
    reset: () => {
      accepted = [];
      paid = [];
    },
    only: ["late"],
    depth: 1,
    ...options,
  });
}

test.each([
  ["marked", [NIGHTLY, { advance: "P4D" }, { ...NIGHTLY, tick: true }]],
  ["sent twice", [NIGHTLY, { advance: "P4D" }, NIGHTLY]],
  ["before the end of the hold", [NIGHTLY, { advance: "PT1M" }, { ...NIGHTLY, tick: true }]],
])("a held webhook arrives before the last nightly job: %s", async (_, steps) => {
  const result = await exploredWith(steps);
  expect(result.divergences.map(({ differences }) => differences)).toEqual([]);
  expect(result).toMatchObject({ verdict: "converges", schedules: { tried: 1 } });
});

test("a webhook is held for as long as the platform would retry it, although its later event never comes", async () => {
  const result = await exploredWith([NIGHTLY, { advance: "P4D" }, { ...NIGHTLY, body: { of: "another" } }]);
  expect(result.divergences).toEqual([]);
});

test("a single request that may be the nightly job runs once more after a held webhook", async () => {
  const result = await exploredWith([NIGHTLY, { advance: "P4D" }]);
  expect(result).toMatchObject({ verdict: "converges", divergences: [] });
  expect(result.notes).toEqual([
    "With late-1 the state was the same only after step 3 ran once more, after the last webhook. If this is a nightly job, mark it with tick: true.",
  ]);
});

test("a title names no event that did not happen in its run", async () => {
  // A request with a name is no nightly job, so it is sent only before the webhook arrives.
  const result = await exploredWith([{ ...NIGHTLY, body: { of: "${run}" } }, { advance: "P4D" }]);
  expect(result.divergences.map(({ title }) => title)).toEqual([
    "SUBSCRIPTION.ACCEPTED was held back, and ORDER-PAYOUT.PAID did not happen",
  ]);
});

/** Explores a system that refuses a charge until it knows that the subscription was accepted. */
async function strict(kind: "late" | "first-try-lost", isRight: boolean): Promise<ExplorationResult> {
  let state: Record<string, string> = {};
  const charge = { request: "POST partner:/charges", body: { member: "m-${run}" } };
  return explore({
    scenario: scenarioWith([
      charge,
      { call: "createPayout", body: { $use: "payout.pix", externalId: "p-${run}" } },
      { advance: "PT1H" },
    ]),
    client: async (request) => {
      const { member } = (await request.json()) as { member: string };
      if (state[member] === undefined) return new Response("", { status: 409 });
      state[member] = "charged";
      return Response.json({});
    },
    receiver: async (request) => {
      const { event, data } = (await request.json()) as { event: string; data?: { externalId: string } };
      if (event === "SUBSCRIPTION.ACCEPTED" && isRight) state[data?.externalId ?? ""] ??= "accepted";
      // A wrong system takes the event only if nothing came before it.
      if (event === "SUBSCRIPTION.ACCEPTED" && !isRight && Object.keys(state).length === 0)
        state[data?.externalId ?? ""] = "accepted";
      if (event !== "SUBSCRIPTION.ACCEPTED") state["payout"] = "paid";
      return Response.json({});
    },
    probe: () => state,
    reset: () => (state = {}),
    only: [kind],
    depth: 1,
  });
}

test.each(["late", "first-try-lost"] as const)(
  "a request that is refused because its webhook has not arrived is sent again after the webhook: %s",
  async (kind) => {
    const result = await strict(kind, true);
    expect(result.divergences.map(({ differences }) => differences)).toEqual([]);
    expect(result.verdict).toBe("converges");
  },
);

test.each([
  ["late", "before the step", []],
  ["first-try-lost", "before the step", []],
  ["late", "in a round", [{ times: 1 }]],
] as const)("a webhook that a step waits for is not held any longer: %s, %s", async (kind, _, rounds) => {
  const nightly = { ...NIGHTLY, body: { of: "one" }, waitFor: { probe: "$.accepted[0]", is: "m-${run}" } };
  const steps = rounds.reduce<object[]>(
    (inside, repeat) => [{ repeat: { ...repeat, steps: inside } }],
    [nightly],
  );
  const result = await exploredWith([...steps, { advance: "P4D" }], { only: [kind] });
  expect(result.divergences.map(({ title, differences }) => ({ title, differences }))).toEqual([]);
  expect(result).toMatchObject({ verdict: "converges", notes: [] });
});
