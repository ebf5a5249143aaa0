import { CommandFailure } from "../base/failures.ts";
import { type ControlClient, streamEvents } from "../server/control/client.js";
import { defined } from "../simulator/engine/json.ts";
import { existsSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import type { Wall } from "../base/wall.ts";

/** The places of the library in packages. */
const PLACES = [
  "/usr/lib/*/faketime/libfaketimeMT.so.1",
  "/usr/lib/faketime/libfaketimeMT.so.1",
  "/usr/lib64/faketime/libfaketimeMT.so.1",
  "/usr/local/lib/faketime/libfaketimeMT.so.1",
  "/opt/homebrew/lib/faketime/libfaketime.1.dylib",
  "/usr/local/lib/faketime/libfaketime.1.dylib",
];

interface Faketime {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: () => Promise<void>;
}

/**
 * Follows the clock of a world for a program that reads its date by libfaketime from a file. It has no timers, so its
 * turns end at once. Throws if the library is not on this machine.
 */
export async function withFaketime(
  client: ControlClient,
  { name, turnTimeout, lease, wall }: { name: string; turnTimeout?: string; lease?: string; wall: Wall },
): Promise<Faketime> {
  const library = PLACES.flatMap((place) =>
    place.includes("*") ? globSync(place) : existsSync(place) ? place : [],
  )[0];
  if (library === undefined)
    throw new CommandFailure(
      "Failed to find libfaketime on this machine. Install it (apt-get install libfaketime, brew install libfaketime), or leave --faketime out for a Node program.",
    );
  const folder = mkdtempSync(join(tmpdir(), "sandbank-clock-"));
  const file = join(folder, "time");
  const follower = { name, ...defined({ turnTimeout, lease }) };
  const { id, now, mode } = await client.ask("POST /sandbox/clock/followers", follower);
  const write = (told: { readonly now: string; readonly mode?: string }): void => {
    // A running clock adds its time to the time of writing.
    const time =
      told.mode === "running" ? offsetOf(told.now, wall) : (Date.parse(told.now) / 1000).toFixed(3);
    writeFileSync(`${file}.new`, time);
    renameSync(`${file}.new`, file);
  };
  write({ now, mode });
  await client.ask("PUT /sandbox/clock/followers/{id}", { id, next: null });
  const stopping = new AbortController();
  const stream = await client.open(
    "GET /sandbox/clock/followers/{id}/turns",
    { id },
    { signal: stopping.signal },
  );
  const follow = async (): Promise<void> => {
    for await (const { type, data } of streamEvents(stream.body as AsyncIterable<Uint8Array> | null)) {
      if (data === undefined) continue;
      const told = JSON.parse(data) as { now: string; mode?: string; turn: number };
      write(told);
      if (type !== "turn") continue;
      const turn = { id, turn: String(told.turn), next: null, ran: 0 };
      await client.ask("POST /sandbox/clock/followers/{id}/turns/{turn}", turn);
    }
  };
  const following = follow().catch(() => undefined);
  return {
    env: {
      ...process.env,
      [process.platform === "darwin" ? "DYLD_INSERT_LIBRARIES" : "LD_PRELOAD"]: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_FMT: "%s",
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    stop: async () => {
      stopping.abort();
      await following;
      await client.ask("DELETE /sandbox/clock/followers/{id}", { id }).catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the distance between an instant and the real time, in the form of libfaketime. */
function offsetOf(now: string, wall: Wall): string {
  const seconds = (Date.parse(now) - wall.date()) / 1000;
  return `${seconds < 0 ? "" : "+"}${seconds.toFixed(3)}`;
}
