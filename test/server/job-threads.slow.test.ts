import { afterEach, beforeEach, expect, test } from "vitest";
import { JobThreads } from "../../src/server/job-threads.ts";

let threads: JobThreads;
beforeEach(() => {
  threads = new JobThreads(new URL("../../src/library/scenario-thread.ts", import.meta.url));
});
afterEach(() => threads.close());

const SCENARIO = `name: A gym
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
`;

const STEP = "  - { call: createSubscription, body: { $use: subscription.monthly } }\n";
const HEAVY = `name: \${matrix.x}
matrix: { x: [${Array.from({ length: 900 }, (_, index) => `x${index}`).join(", ")}] }
steps:
${STEP.repeat(300)}`;

test("a scenario of a shared server is read and run in a thread", async () => {
  const { scenario } = (await threads.run("read", [SCENARIO])) as { scenario: object };
  expect(scenario).toMatchObject({ name: "A gym", file: null });
  expect(await threads.run("run", [scenario, {}])).toMatchObject({ report: { status: "passed" } });
});

test("a file that blocks its thread does not block the server", async () => {
  const order: string[] = [];
  const read = threads.run("read", [HEAVY]).then(
    () => order.push("read"),
    () => order.push("given up"),
  );
  for (let count = 0; count < 1_000; count++) await new Promise((resolve) => setImmediate(resolve));
  order.push("server");
  await threads.close();
  await read;
  expect(order).toEqual(["server", "given up"]);
});

test("a close gives up the jobs that wait, and opens no thread for them", async () => {
  let givenUp = 0;
  for (let count = 0; count < 6; count++) void threads.run("read", [HEAVY]).catch(() => givenUp++);
  await threads.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(givenUp).toBe(6);
});

test("a bug in a thread reaches the server with its stack", async () => {
  await expect(threads.run("run", [{ text: 5 }, {}])).rejects.toThrow("a scenario thread failed");
});

test("a thread does the next job after a job that failed", async () => {
  await threads.run("run", [{ text: 5 }, {}]).catch(() => undefined);
  expect(await threads.run("list", [])).toHaveProperty("length");
});
