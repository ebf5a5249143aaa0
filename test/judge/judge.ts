import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { availableParallelism } from "node:os";
import { drawOf } from "./draws.ts";
import { once } from "node:events";
import { parseArgs } from "node:util";
import type { ToolName } from "../partners/choices.ts";
import { type Judged, judge, kindOfCause, tools } from "./judging.ts";
import { accused, tableOf } from "./table.ts";

/**
 * `npm run judge -- --seed 1 --partners 300`: judges partners whose faults are known, in a thread for each processor, and
 * writes how often each tool is right. `--partner N` judges one of them and writes what was said; `--tool NAME` uses one
 * tool.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    partners: { type: "string", default: "300" },
    first: { type: "string", default: "0" },
    partner: { type: "string" },
    tool: { type: "string", multiple: true },
    factor: { type: "string" },
    misses: { type: "boolean", default: false },
  },
});
const chosen = Object.keys(tools).filter(
  (name): name is ToolName => values.tool === undefined || values.tool.some((one) => name.includes(one)),
);

/** The time between two lines of progress. */
const PROGRESS_MS = 10_000;

function judgeOne(index: number): Promise<Judged[]> {
  const drawn = drawOf(Number(values.seed), index);
  return judge(values.factor === undefined ? drawn : { ...drawn, factor: Number(values.factor) }, chosen);
}

/** Judges partners in threads. The result has their order. */
async function judgeAll(indices: readonly number[]): Promise<Judged[]> {
  const results: Judged[][] = indices.map(() => []);
  let begun = 0;
  let done = 0;
  const progress = setInterval(
    () => process.stderr.write(`${done} of ${indices.length} partners\n`),
    PROGRESS_MS,
  );
  const work = async (): Promise<void> => {
    const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
    while (begun < indices.length) {
      const place = begun++;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
      thread.postMessage(indices[place]);
      const [judged] = (await once(thread, "message")) as [Judged[]];
      results[place] = judged;
      done += 1;
    }
    await thread.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), indices.length) }, work));
  clearInterval(progress);
  return results.flat();
}

function writeReport(judged: readonly Judged[], seconds: string): void {
  process.stdout.write(`${tableOf(judged)}${judged.length} judgements in ${seconds} s\n`);
  if (!values.misses) return;
  for (const { tool, draw, truth, verdict, found, reason } of judged) {
    const isRight = verdict === "wrong" && kindOfCause(found[0] ?? { code: "" }, truth) === "right";
    if (truth.length === 0 ? verdict !== "right" : !isRight)
      process.stdout.write(
        `${tool} --seed ${values.seed} --partner ${draw.seed % 100_000} ×${draw.factor} [${draw.wrong.map(({ value }) => value.name).join(", ")}] ${verdict} ${reason ?? ""} ${found.map(({ by, code }) => `${by}: ${code}`).join(" | ")}\n`,
      );
  }
}

async function main(): Promise<void> {
  const beganMs = performance.now();
  const { partner, first, partners } = values;
  const indices = Array.from({ length: Number(partners) }, (_, place) => Number(first) + place);
  const judged = await (partner === undefined ? judgeAll(indices) : judgeOne(Number(partner)));
  if (partner !== undefined) process.stdout.write(`${JSON.stringify(judged, null, 2)}\n`);
  writeReport(judged, ((performance.now() - beganMs) / 1000).toFixed(0));
  // A false alarm is the worst that the judge can find.
  process.exitCode = accused(judged).length > 0 ? 1 : 0;
}

async function judgeInThread(index: number): Promise<void> {
  const judged = await judgeOne(index);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  parentPort?.postMessage(judged);
}

if (isMainThread) await main();
else parentPort?.on("message", (index: number) => void judgeInThread(index));
