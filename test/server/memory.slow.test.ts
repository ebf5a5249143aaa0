import { expect, test } from "vitest";
import { serve } from "../cli/command.ts";
import { subscriptionBody } from "../partner.ts";

const PATH = "/order/v1/banking/subscriptions";
const headers = { authorization: "Bearer acme-token" };
/** A recording keeps what was sent, so that the memory is full before long. */
const PADDING = "x".repeat(400_000);

const REQUESTS_MAX = 2_000;

const refusal = {
  error: "INTERNAL_ERROR",
  message: expect.stringContaining("The memory of"),
  details: [],
};

test("a server whose memory is nearly used up refuses writes, answers reads, and accepts writes after a reset", async () => {
  await using server = await serve(
    { env: { NODE_OPTIONS: "--max-old-space-size=56" } },
    "--frozen",
    "--start",
    "2026-11-20T09:00:00-03:00",
  );
  const { url } = server;
  let number = 0;
  const create = (): Promise<Response> => {
    const body = JSON.stringify(
      subscriptionBody({ externalId: `subscription-${number++}`, padding: PADDING }),
    );
    return fetch(url + PATH, { method: "POST", headers, body });
  };
  let answer = await create();
  for (let sent = 0; sent < REQUESTS_MAX && answer.status === 201; sent++) {
    await answer.text();
    answer = await create();
  }
  expect([answer.status, await answer.json()]).toEqual([503, refusal]);
  expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
  expect((await fetch(`${url}/sandbox/reset`, { method: "POST" })).status).toBe(200);
  expect((await create()).status).toBe(201);
}, 90_000);
