import type { ScenarioJob, ScenarioNews } from "./scenario-library.ts";
import { openSandbox } from "../../library/sandbox.ts";
import { parentPort } from "node:worker_threads";
import { parsePosted, readPosted, runStored, shippedScenarios } from "./library.ts";

/** How often a thread that is at work shows that it is not stuck. */
const SIGN_MS = 1_000;

parentPort?.on("message", (job: ScenarioJob) => void work(job));

async function work(job: ScenarioJob): Promise<void> {
  const signs = setInterval(() => send({ kind: "alive" }), SIGN_MS);
  try {
    send({ kind: "done", result: await resultOf(job) });
  } catch (error) {
    send({ kind: "broken", stack: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    clearInterval(signs);
  }
}

function send(news: ScenarioNews): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  parentPort?.postMessage(news);
}

function resultOf(job: ScenarioJob): unknown {
  switch (job.kind) {
    case "list":
      return shippedScenarios();
    case "read":
      return readPosted(job.text);
    case "parse":
      return parsePosted(job.text, job.params);
    case "run":
      return runStored(job.scenario, job.inputs, openSandbox);
  }
}
