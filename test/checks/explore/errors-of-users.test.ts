import { expect, test } from "vitest";
import type { ExploreOptions } from "../../../src/checks/explore/exploration.ts";
import { explore } from "../../../src/library/explore.ts";
import { stringify } from "yaml";

const right: ExploreOptions = {
  scenario: {
    name: "a supplier is paid",
    start: "2026-11-23T09:00:00-03:00",
    steps: [
      { request: "POST partner:/orders", body: { order: "${run}" }, timeout: "PT0.05S" },
      { advance: "PT1M" },
    ],
  },
  receiver: () => new Response('{"returnCode":"OK"}'),
  client: async (request, sandbox) => {
    const { order } = (await request.json()) as { order: string };
    return sandbox.fetch("/order/v1/banking/order-payouts", {
      method: "POST",
      headers: {
        authorization: "Bearer acme-token",
        "content-type": "application/json",
        "idempotency-key": order,
      },
      body: JSON.stringify({
        externalId: order,
        accountId: "11111111-1111-4111-8111-111111111111",
        paymentMethod: "PIX",
        paymentData: { pixKey: "ok@pix.example" },
        amount: { currency: "BRL", value: "10.00" },
        description: "supplies",
      }),
    });
  },
  only: ["twice"],
};

const fails = (): never => {
  throw new Error("no such table");
};
const here = /Error: no such table \(errors-of-users\.test\.ts:\d+:\d+\)/;

test.each<[what: string, options: Partial<ExploreOptions>, reason: RegExp]>([
  ["a client that throws", { client: fails }, here],
  [
    "a client that returns nothing",
    { client: () => undefined as never },
    /the handler returned undefined in place of a Response/,
  ],
  [
    "a client that never answers",
    { client: () => new Promise<never>(() => undefined) },
    /got no answer: none came within 50 ms/,
  ],
  ["a receiver that throws", { receiver: fails }, here],
  [
    "a receiver that returns nothing",
    { receiver: () => undefined as never },
    /the receiver answered 500: TypeError: the handler returned undefined/,
  ],
  ["a probe that throws", { probe: fails }, /^.*Failed to read the probe: it threw Error: no such table/],
  ["books without a probe", { books: { totals: { paidOut: "$.paidOut" } } }, /^The books need a probe/],
])("%s is why nothing was tried", async (_, options, reason) => {
  const result = await explore({ ...right, ...options });
  expect([result.verdict, result.reason]).toEqual(["not-tried", expect.stringMatching(reason)]);
});

test("the state that an earlier exploration left is not the state before", async () => {
  let seen: string[] = [];
  const options: ExploreOptions = {
    ...right,
    receiver: async (request) => {
      seen.push(((await request.json()) as { event: string }).event);
      return new Response('{"returnCode":"OK"}');
    },
    probe: () => seen,
    reset: () => (seen = []),
  };
  await explore(options);
  seen = ["ORDER-PAYOUT.PAID"];
  expect((await explore(options)).notes).toEqual([]);
});

test("a step that no client answers is why nothing was tried", async () => {
  const { client: _, ...rest } = right;
  const { verdict, reason } = await explore(rest);
  expect([verdict, reason]).toEqual([
    "not-tried",
    expect.stringMatching(
      /^No system answers `request POST partner:\/orders`: give the `client` of explore\(\)/,
    ),
  ]);
});

test.each<[options: object, message: string]>([
  [
    { client: "http://127.0.0.1:3000" },
    "client must be a function that takes a Request and an object with `fetch`.",
  ],
  [
    { maxDepth: 3 },
    'There is no option "maxDepth". The nearest are depth, reset, with, client, budget, repeat, killDelayMs, beyondRetries, probe or without. docs/explore.md lists all.',
  ],
  [{ settle: 5 }, 'There is no option "settle". Did you mean settleMs?'],
  [{ depth: "2" }, 'depth must be a whole number from 1 to 5; found "2".'],
  [{ partner: { start: async () => undefined } }, "partner must have the functions `start` and `kill`."],
])("%j is refused", async (options, message) => {
  await expect(explore({ ...right, ...options })).rejects.toThrow(message);
});

test("a process that cannot be killed ends the exploration with its own error", async () => {
  const partner = { start: async () => undefined, kill: async () => fails() };
  await expect(explore({ ...right, partner, only: ["crashes"] })).rejects.toThrow(/^no such table$/);
});

test("a scenario may be the text of a file, whose mistakes are reported with their lines", async () => {
  const { scenario } = right;
  const { verdict } = await explore({
    ...right,
    scenario: stringify(scenario),
    probe: () => ({ orders: [] }),
  });
  expect(verdict).toBe("converges");
  await expect(explore({ ...right, scenario: "name: paid\nsteps:\n  - advanse: PT1M\n" })).rejects.toThrow(
    /^scenario:3:5: .*advance/,
  );
});
