import { expect, test } from "vitest";
import { serve } from "../cli/command.ts";
import { subscriptionBody } from "../partner.ts";

const PATH = "/order/v1/banking/subscriptions";
const headers = { authorization: "Bearer acme-token" };

/** A journal keeps so much of a body, so that the memory is full before long. */
const PADDING = "x".repeat(15_000);

const REQUESTS_MAX = 6_000;

/** One request after another that each store something, by what fills the memory. */
const WAYS: Readonly<Record<string, (number: number) => readonly [path: string, body: string]>> = {
  "requests that create": (number) => [
    PATH,
    JSON.stringify(subscriptionBody({ externalId: `subscription-${number}`, padding: PADDING })),
  ],
  plans: () => [
    "/sandbox/plans",
    JSON.stringify({ plan: "payout.settlement", outcomes: Array.from({ length: 1_000 }, () => "ERROR") }),
  ],
  worlds: (number) => ["/sandbox/worlds", JSON.stringify({ name: `world ${number}` })],
  "posted scenarios": (number) => [
    "/sandbox/scenarios",
    `name: scenario ${number}\nsteps: []\n# ${"x".repeat(500_000)}\n`,
  ],
};

for (const [what, requestOf] of Object.entries(WAYS))
  test(`memory filled with ${what} is refused at a bound, reads are answered, and a reset frees it`, async () => {
    await using server = await serve(
      { env: { NODE_OPTIONS: "--max-old-space-size=64" } },
      "--frozen",
      "--start",
      "2026-11-20T09:00:00-03:00",
    );
    const { url } = server;
    const isRefused = async (answer: Response): Promise<boolean> => {
      const text = await answer.text();
      return answer.status === 503 ? text.includes("The memory of") : /"LIMIT"|at most|keeps/.test(text);
    };
    const send = async (number: number): Promise<boolean> => {
      const [path, body] = requestOf(number);
      return isRefused(await fetch(url + path, { method: "POST", headers, body }));
    };
    let isFull = false;
    for (let number = 0; number < REQUESTS_MAX && !isFull; number++) isFull = await send(number);
    expect(isFull).toBe(true);
    for (let number = 0; number < 30; number++) await send(REQUESTS_MAX + number);
    for (const path of [
      "/order/v1/banking/accounts",
      "/sandbox/timeline",
      "/sandbox/resources/subscriptions",
    ]) {
      const answer = await fetch(url + path, { headers });
      expect([answer.status, typeof (await answer.json())]).toEqual([200, "object"]);
    }
    expect((await fetch(`${url}/sandbox/reset`, { method: "POST" })).status).toBe(200);
    expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
  }, 180_000);
