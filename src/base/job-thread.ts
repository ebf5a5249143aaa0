import { parentPort } from "node:worker_threads";
import { clearInterval, setInterval } from "node:timers";

/** Work for a thread: the name of a job, and its arguments. */
export interface ThreadJob {
  readonly kind: string;
  readonly inputs: readonly unknown[];
}

/** A sign of life, the result of the job, or the bug that ended it. */
export type ThreadNews =
  | { readonly kind: "alive" }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "broken"; readonly stack: string };

/** A working thread shows at this interval that it is not stuck. */
const SIGN_MS = 1_000;

/** Does the jobs that the server sends to this thread, one at a time. */
export function workInThread(jobs: object): void {
  parentPort?.on("message", (job: ThreadJob) => void work(jobs as Jobs, job));
}

type Jobs = Readonly<Record<string, (...inputs: readonly unknown[]) => unknown>>;

async function work(jobs: Jobs, { kind, inputs }: ThreadJob): Promise<void> {
  const signs = setInterval(() => send({ kind: "alive" }), SIGN_MS);
  try {
    send({ kind: "done", result: await jobs[kind]?.(...inputs) });
  } catch (error) {
    send({ kind: "broken", stack: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    clearInterval(signs);
  }
}

function send(news: ThreadNews): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
  parentPort?.postMessage(news);
}
