import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createSandbox, type Sandbox, followClock } from "../../src/index.ts";
import { CronJob } from "cron";
import { payoutBody } from "../partner.ts";
import { once } from "node:events";
import { promisify } from "node:util";
import * as timers from "node:timers";
import { scheduler, setTimeout as wait } from "node:timers/promises";

const START = "2026-11-23T12:00:00.000Z";
const HOUR_MS = 3_600_000;

let sandbox: Sandbox | undefined;

async function follow(options: Parameters<Sandbox["followClock"]>[0] = {}): Promise<Sandbox> {
  sandbox = await createSandbox({ start: START });
  await sandbox.followClock(options);
  return sandbox;
}

afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});

const now = (): string => new Date().toISOString();

test("the date and every kind of timer follow an advance, each at its exact instant", async () => {
  const world = await follow();
  const ran: string[] = [];
  const note = (name: string) => (): void => void ran.push(`${name} ${now()}`);
  setTimeout(note("timeout"), HOUR_MS);
  const interval = setInterval(note("interval"), 2 * HOUR_MS);
  timers.setTimeout(note("node:timers"), 3 * HOUR_MS);
  void wait(4 * HOUR_MS).then(note("promise"));
  void scheduler.wait(5 * HOUR_MS).then(note("scheduler"));
  void promisify(setTimeout)(6 * HOUR_MS).then(note("promisify"));
  CronJob.from({ cronTime: "0 30 18 * * *", timeZone: "UTC", start: true, onTick: note("cron") });
  const cleared = setTimeout(note("cleared"), HOUR_MS);
  clearTimeout(Number(cleared));
  expect([now(), Date.now(), new Date(START) instanceof Date]).toEqual([START, Date.parse(START), true]);
  await world.advance("PT6H45M");
  clearInterval(interval);
  expect(ran).toEqual([
    "timeout 2026-11-23T13:00:00.000Z",
    "interval 2026-11-23T14:00:00.000Z",
    "node:timers 2026-11-23T15:00:00.000Z",
    "promise 2026-11-23T16:00:00.000Z",
    "interval 2026-11-23T16:00:00.000Z",
    "scheduler 2026-11-23T17:00:00.000Z",
    "promisify 2026-11-23T18:00:00.000Z",
    "interval 2026-11-23T18:00:00.000Z",
    "cron 2026-11-23T18:30:00.000Z",
  ]);
  expect(now()).toBe("2026-11-23T18:45:00.000Z");
  expect(Math.round(performance.timeOrigin + performance.now())).toBe(Date.now());
});

test("a timer that a webhook arms counts from the instant of the webhook", async () => {
  const world = await follow();
  const ran: string[] = [];
  const receiver = createServer((_, response) => {
    ran.push(`webhook ${now()}`);
    setTimeout(() => ran.push(`timer ${now()}`), HOUR_MS);
    response.end();
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await world.act("webhook.set-url", { url });
  const body = payoutBody({ paymentData: { pixKey: "slow@pix.example" } });
  const headers = {
    authorization: "Bearer acme-token",
    "content-type": "application/json",
    "idempotency-key": "payout-1",
  };
  const sent = { method: "POST", headers, body: JSON.stringify(body) };
  expect((await world.fetch("/order/v1/banking/order-payouts", sent)).status).toBe(201);
  await world.advance("P1D");
  receiver.close();
  expect(ran).toEqual(["webhook 2026-11-23T13:00:00.000Z", "timer 2026-11-23T14:00:00.000Z"]);
});

test("a turn ends once the requests that its timers made are answered, also one after the other", async () => {
  const world = await follow();
  const server = createServer((_, response) => setImmediate(() => response.end(now())));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answers: string[] = [];
  setTimeout(() => {
    void (async () => {
      for (let call = 0; call < 5; call++) answers.push(await (await fetch(url)).text());
    })();
  }, HOUR_MS);
  await world.advance("P1D");
  server.close();
  expect(answers).toEqual(Array.from({ length: 5 }, () => "2026-11-23T13:00:00.000Z"));
});

test("timers of named files stay real, and of only date all of them", async () => {
  const world = await follow({ real: ["test/library/*.test.ts"] });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(now()).toBe(START);
  await world.close();
  await follow({ only: "date" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(now()).toBe(START);
});

test("a timer of at most a millisecond runs as soon as possible, and a time-out of the network in real time", async () => {
  await follow();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const silent = createServer(() => undefined);
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  await expect(fetch(url, { signal: AbortSignal.timeout(20) })).rejects.toThrow("timeout");
  silent.closeAllConnections();
  silent.close();
  expect(now()).toBe(START);
});

test("a reset takes the date back, and a pending timer keeps what is left of its delay", async () => {
  const world = await follow();
  const ran: string[] = [];
  setTimeout(() => ran.push(now()), 48 * HOUR_MS);
  await world.advance("P1D");
  await world.reset();
  await world.advance("P1D");
  expect([ran, now()]).toEqual([["2026-11-24T12:00:00.000Z"], "2026-11-24T12:00:00.000Z"]);
});

test("what a timer throws is thrown as by a real one", async () => {
  const world = await follow();
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  const caught = once(process, "uncaughtException");
  setTimeout(() => {
    throw new Error("of a timer");
  }, HOUR_MS);
  await world.advance("PT2H");
  const [error] = (await caught) as [Error];
  for (const listener of listeners) process.on("uncaughtException", listener);
  expect(error.message).toBe("of a timer");
});

test("a thread follows one clock at a time, and has its own again after stop", async () => {
  await using world = await createSandbox({ start: START });
  const clock = await world.followClock({ name: "suite" });
  await expect(world.followClock()).rejects.toThrow(
    "Failed to follow the clock: this thread already follows a clock. Stop that first.",
  );
  await clock.stop();
  expect(setTimeout.toString()).not.toContain("isReal");
  const { url } = await world.listen();
  const remote = await followClock({ url, token: "acme-token" });
  expect([now(), remote.id]).toEqual([START, "f2"]);
  const ran: string[] = [];
  setTimeout(() => ran.push(now()), HOUR_MS);
  await fetch(`${url}/sandbox/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ by: "P1D" }),
  });
  expect(ran).toEqual(["2026-11-23T13:00:00.000Z"]);
  await remote.stop();
});
