import { mkdirSync, createWriteStream } from "node:fs";
import { parseArgs } from "node:util";
import { runSwarm } from "../test/server/cluster/swarm.ts";
import { startPostgres } from "../test/server/cluster/postgres-server.ts";

/**
 * Drives three servers on PostgreSQL with random requests while they are killed, paused and cut from the database, and
 * holds them to what they answered. What is done follows from the seed; when it happens differs a little each time.
 *
 * npm run swarm -- --seed 7 --minutes 2
 */
const { values } = parseArgs({
  options: { seed: { type: "string" }, minutes: { type: "string", default: "2" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 100_000));
const minutes = Number(values.minutes);
if (!Number.isInteger(seed) || seed < 0 || !(minutes > 0)) {
  process.stderr.write(
    "Failed to read the flags. Use whole numbers: npm run swarm -- --seed 7 --minutes 2\n",
  );
  process.exit(2);
}

const ends: (() => void)[] = [];
const postgres = await startPostgres();
mkdirSync("build", { recursive: true });
const trace = createWriteStream(`build/swarm-${seed}.log`);
const began = performance.now();
try {
  const { counts, violations } = await runSwarm({
    seed,
    durationMs: minutes * 60_000,
    database: postgres.url(),
    onEnd: (end) => ends.push(end),
    trace: (line) => trace.write(`${((performance.now() - began) / 1000).toFixed(3)} ${line}\n`),
  });
  process.stdout.write(`${JSON.stringify({ seed, minutes, ...counts })}\n`);
  if (violations.length > 0) {
    process.stdout.write(
      `${violations.join("\n")}\nRepeat: npm run swarm -- --seed ${seed} --minutes ${minutes}\n`,
    );
    process.stdout.write(`What happened: build/swarm-${seed}.log\n`);
    process.exitCode = 1;
  }
} finally {
  for (const end of ends) end();
  trace.end();
  await postgres.close();
}
