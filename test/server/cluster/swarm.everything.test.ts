import { expect, onTestFinished, test } from "vitest";
import { runSwarm } from "./swarm.ts";
import { usePostgres } from "./use-postgres.ts";

const postgres = usePostgres();

/** This one chooses kills, cut and late statements, and nearly every kind of request. `npm run swarm` tries others. */
const SEED = 4;

test("three servers that are killed and cut from their database under load keep what they promise", async () => {
  const durationMs = 12_000;
  const database = postgres.url();
  const { counts, violations } = await runSwarm({ seed: SEED, durationMs, database, onEnd: onTestFinished });
  expect(violations).toEqual([]);
  expect(counts["kill"]).toBeGreaterThan(0);
  // A busy machine makes fewer requests in this time.
  expect(counts["payouts"]).toBeGreaterThan(0);
}, 240_000);
