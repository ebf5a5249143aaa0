import { openSandbox } from "./sandbox.ts";
import { parentPort } from "node:worker_threads";
import { systemWall } from "../tools/wall.ts";
import { parsePosted, readPosted, runStored, shippedScenarios } from "../tools/scenarios/stored-scenarios.ts";
import type { ScenarioJob, ScenarioJobs, ScenarioNews } from "../tools/scenarios/scenario-library.ts";

const jobs: ScenarioJobs = {
  list: shippedScenarios,
  read: readPosted,
  parse: parsePosted,
  run: (scenario, inputs) => runStored(scenario, inputs, openSandbox),
};

/** A working thread shows at this interval that it is not stuck. */
const SIGN_MS = 1_000;

parentPort?.on("message", (job: ScenarioJob) => void work(job));

async function work({ kind, inputs }: ScenarioJob): Promise<void> {
  const done = new AbortController();
  void showSigns(done.signal);
  try {
    const job = jobs[kind] as (...given: readonly unknown[]) => unknown;
    send({ kind: "done", result: await job(...inputs) });
  } catch (error) {
    send({ kind: "broken", stack: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    done.abort();
  }
}

async function showSigns(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await systemWall.pause(SIGN_MS, signal);
    send({ kind: "alive" });
  }
}

function send(news: ScenarioNews): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  parentPort?.postMessage(news);
}
