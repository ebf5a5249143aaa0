import type { ThreadJob, ThreadNews } from "../base/job-thread.ts";
import { clearTimeout, setTimeout } from "node:timers";
import { Refusal } from "../simulator/engine/refusal.ts";
import { Worker } from "node:worker_threads";

/** The maximum number of threads. Runs may take minutes, so they leave one thread to other jobs. */
const THREADS_MAX = 3;
const RUNS_MAX = 2;

/** The maximum number of waiting jobs. */
const WAITING_MAX = 100;

/** A job that gives no sign of life for this wall time is ended. */
const SILENCE_MAX_MS = 30_000;

/** A thread without a job ends after this wall time. */
const IDLE_MS = 30_000;

/** The memory for a scenario. Its worlds are in the thread, and are dropped with it. */
const HEAP_MAX_MB = 512;

const GIVEN_UP = "The server is closing, or the scenario ended its thread.";

interface Waiting {
  readonly job: ThreadJob;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The threads for the scenarios of strangers on a shared server. A file cannot delay another request or fill the
 * memory of the server. If a file blocks its thread, the job is ended.
 */
export class JobThreads {
  readonly #file: URL;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #threads = new Set<Worker>();
  readonly #waiting: Waiting[] = [];
  #runs = 0;

  /** `file` is the module of the threads. */
  constructor(file: URL) {
    this.#file = file;
  }

  /** Does a job in a thread. Rejects with a `Refusal` if the job is too large or too long. */
  readonly run = (kind: string, inputs: readonly unknown[]): Promise<never> => {
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(refusal("Too many scenarios are waiting. Send it again later."));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job: { kind, inputs }, resolve, reject });
      this.#startNext();
    });
  };

  /** Ends the threads. Running and waiting jobs are given up. */
  readonly close = async (): Promise<void> => {
    for (const { reject } of this.#waiting.splice(0)) reject(refusal(GIVEN_UP));
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
  };

  #startNext(): void {
    const [thread] = this.#idle.keys();
    if (thread === undefined && this.#threads.size >= THREADS_MAX) return;
    const at = this.#waiting.findIndex(({ job }) => job.kind !== "run" || this.#runs < RUNS_MAX);
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (next !== undefined) this.#start(thread ?? this.#open(), next);
  }

  #open(): Worker {
    const thread = new Worker(this.#file, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
    });
    this.#threads.add(thread);
    thread.on("error", () => undefined);
    thread.once("exit", () => {
      this.#isBusy(thread);
      this.#threads.delete(thread);
      this.#startNext();
    });
    return thread;
  }

  /** Keeps a thread: drops the deadline that would end it as idle. */
  #isBusy(thread: Worker): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }

  #start(thread: Worker, { job, resolve, reject }: Waiting): void {
    this.#isBusy(thread);
    thread.ref();
    if (job.kind === "run") this.#runs++;
    const giveUp = (): void => {
      fail(
        refusal(
          `The scenario was given up: it made no progress for ${SILENCE_MAX_MS / 1000} s. Make it smaller.`,
        ),
      );
      void thread.terminate();
    };
    const silence = setTimeout(giveUp, SILENCE_MAX_MS);
    const end = (): void => {
      if (job.kind === "run") this.#runs--;
      clearTimeout(silence);
      thread.off("message", hear).off("error", fail).off("exit", ended);
    };
    const fail = (error: Error & { code?: string }): void => {
      end();
      const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      reject(
        isFull
          ? refusal(`The scenario needs more than ${HEAP_MAX_MB} MB of memory. Make it smaller.`)
          : error,
      );
    };
    const ended = (): void => fail(refusal(GIVEN_UP));
    const hear = (news: ThreadNews): void => {
      if (news.kind === "alive") {
        silence.refresh();
        return;
      }
      end();
      if (news.kind === "done") resolve(news.result as never);
      else reject(Object.assign(new Error("a scenario thread failed"), { stack: news.stack }));
      thread.unref();
      this.#idle.set(
        thread,
        setTimeout(() => void thread.terminate(), IDLE_MS),
      );
      this.#startNext();
    };
    thread.on("message", hear).on("error", fail).on("exit", ended);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
    thread.postMessage(job);
  }
}

function refusal(description: string): Refusal {
  return new Refusal("INVALID_REQUEST", "The request is not valid", [
    { field: "scenario", issue: "LIMIT", description },
  ]);
}
