import { expect, onTestFinished, test } from "vitest";
import { ask, pay, startServer } from "./servers.ts";
import { followClock } from "../../../src/index.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();
const HOUR_MS = 3_600_000;

test(
  "a world whose server is killed goes on at another one, where its follower registers again with its timers",
  { timeout: 120_000 },
  async () => {
    const flags = ["--lease", "PT2S", "--log-level", "warn", "--data-schema", "followed"];
    const first = await startServer({ data: postgres.url(), flags }, onTestFinished);
    expect((await pay(first.url, "before")).status).toBe(201);
    const second = await startServer({ data: postgres.url(), flags }, onTestFinished);
    const clock = await followClock({ url: second.url, token: "acme-token", name: "gym" });
    onTestFinished(() => clock.stop());
    const advance = async (by: string): Promise<unknown> =>
      (await ask(second.url, "POST", "/sandbox/clock/advance", { body: { by } })).body["stoppedBy"];
    const ran: string[] = [];
    setTimeout(() => ran.push(new Date().toISOString()), HOUR_MS);
    expect([await advance("PT30M"), ran]).toEqual([undefined, []]);

    await first.end("SIGKILL");
    const idle = { id: "f1", name: "gym", next: null, state: "idle" };
    await expect
      .poll(async () => (await ask(second.url, "GET", "/sandbox/clock/followers")).body["data"], {
        timeout: 30_000,
      })
      .toEqual([expect.objectContaining(idle)]);

    expect([await advance("P1D"), ran]).toEqual([undefined, ["2026-11-20T13:00:00.000Z"]]);
    expect(new Date().toISOString()).toBe("2026-11-21T12:30:00.000Z");
  },
);
