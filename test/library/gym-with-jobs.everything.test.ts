import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";
import { freePort } from "../free-port.ts";
import { once } from "node:events";
import { spawn } from "node:child_process";

const START = "2026-11-23T09:00:00-03:00";

/** Starts the gym with its jobs as a follower of a sandbox in this process, and plays so long, also under load. */
async function play(port: number, { by, hogs = 0 }: { readonly by: string; readonly hogs?: number }) {
  await using sandbox = await createSandbox({ seed: 7, start: START, clockTurnTimeout: "PT1M" });
  const { url } = await sandbox.listen();
  const busy = Array.from({ length: hogs }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  const gym = spawn(
    process.execPath,
    ["src/cli/main.ts", "with-clock", "--target", url, "--", "node", "examples/gym-with-jobs/main.ts"],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, BANK_URL: url, PORT: String(port) } },
  );
  try {
    await once(gym.stdout, "data");
    const ask = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method: path === "/log" ? "GET" : "POST" })).text();
    const { id } = JSON.parse(await ask("/join?cpf=52998224725&day=15")) as { id: string };
    await sandbox.act("subscription.accept", { id });
    await sandbox.plan({
      plan: "scheduled-payment.settlement",
      outcomes: ["SETTLED", "SETTLED", "INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE", "SETTLEMENT_ERROR"],
    });
    await sandbox.fault({ on: "api", effect: "unavailable", operation: "listAccounts", nth: 3 });
    const before = process.cpuUsage();
    const { to, happened, stoppedBy } = await sandbox.advance(by);
    const { user } = process.cpuUsage(before);
    // A year takes some four seconds on an idle machine; what other programs do counts as little as possible.
    expect(user).toBeLessThan(10_000_000);
    const turns = happened.filter(({ kind }) => kind === "turn");
    return { to, stoppedBy, turns, log: (await ask("/log")).split("\n") };
  } finally {
    for (const hog of busy) hog.kill("SIGKILL");
    gym.kill("SIGTERM");
    await once(gym, "exit");
  }
}

/** The instants of the entries of a log that are about something. */
function instants(log: readonly string[], what: string): string[] {
  return log.filter((line) => line.includes(what)).map((line) => line.slice(0, 24));
}

test("a year of a gym has each of its jobs at its exact instant, and is the same again, also under load", async () => {
  // The signature of a webhook covers the address of the gym.
  const port = await freePort();
  const first = await play(port, { by: "P1Y" });
  expect([first.to, first.stoppedBy]).toEqual(["2027-11-23T12:00:00.000Z", undefined]);
  const { log } = first;
  const nights = Array.from({ length: 365 }, (_, day) =>
    new Date(Date.UTC(2026, 10, 24 + day, 6)).toISOString(),
  );
  // One of them was answered with 503, and its call was repeated half a minute later.
  const repeated = nights.map((at, night) => (night === 2 ? at.replace("06:00:00", "06:00:30") : at));
  expect(instants(log, "reconciled 3 accounts")).toEqual(repeated);
  expect(log.filter((line) => line.includes("retry"))).toEqual(["2026-11-26T06:00:00.000Z retry 1"]);
  const months = Array.from({ length: 11 }, (_, month) => new Date(Date.UTC(2026, 11 + month, 15, 12)));
  const daysFrom = (days: number): string[] =>
    months.map((due) => new Date(due.getTime() + days * 86_400_000).toISOString());
  expect(instants(log, "charged").slice(0, 11)).toEqual(daysFrom(-5));
  expect(instants(log, "reminder D-1").slice(0, 11)).toEqual(daysFrom(-1));
  expect(log.filter((line) => line.includes("dunning"))).toEqual([
    "2027-02-16T12:00:00.000Z dunning D+1 2027-02",
    "2027-02-18T12:00:00.000Z dunning D+3 2027-02",
    "2027-02-22T12:00:00.000Z dunning D+7 2027-02",
  ]);
  // A token is renewed before each job that would find it expired.
  expect(instants(log, "token").length).toBeGreaterThan(365);
  expect(new Set(instants(log, "start"))).toEqual(new Set(["2026-11-23T12:00:00.000Z"]));

  // In these weeks are a charge, its reminder, and the job that is answered with 503.
  const again = await play(port, { by: "P25D", hogs: 2 });
  const before = ({ at }: { readonly at: string }): boolean => at <= again.to;
  expect(again.log).toEqual(log.filter((line) => line.slice(0, 24) <= again.to));
  expect(again.turns).toEqual(first.turns.filter(before));
  expect(again.turns.length).toBeGreaterThan(25);
}, 900_000);
