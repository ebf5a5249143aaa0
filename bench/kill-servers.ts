import { killUnderLoad } from "../test/shared/kills.ts";
import { startPostgres } from "../test/shared/postgres-server.ts";
import { startReceiver, startServer } from "../test/shared/servers.ts";

/**
 * Kills one of three servers on a PostgreSQL database after another, fifty times unless told otherwise, while partners
 * pay, cancel and move clocks through any of them, and holds them to what they answered. Prints JSON.
 *
 * node kill-servers.ts [kills]
 */
const KILLS = Number(process.argv[2] ?? 50);

const ends: (() => void)[] = [];
const onEnd = (end: () => void): number => ends.push(end);
const postgres = await startPostgres();
const receiver = await startReceiver(onEnd);
const flags = ["--lease", "PT2S", "--log-level", "warn", "--webhook-url", receiver.url];
const report = await killUnderLoad({
  kills: KILLS,
  start: () => startServer({ data: postgres.url(), flags }, onEnd),
  receiver,
  killed: (kills, payouts) => process.stderr.write(`\r${kills} kills, ${payouts} payouts answered`),
});
for (const end of ends) end();
await postgres.close();
process.stdout.write(`\n${JSON.stringify(report)}\n`);
process.exit(Object.values(report).some((list) => Array.isArray(list) && list.length > 0) ? 1 : 0);
