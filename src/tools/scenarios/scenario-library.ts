import type {
  ParsedText,
  parsePosted,
  PostedScenario,
  readPosted,
  RunInputs,
  runStored,
  shippedScenarios,
  StoredScenario,
} from "./stored-scenarios.ts";
import { Refusal } from "../../engine/refusal.ts";
import { type Deadline, systemWall, type Wall } from "../wall.ts";
import { Worker } from "node:worker_threads";

/** The work that a server leaves to the thread of its scenarios. */
export interface ScenarioJobs {
  readonly list: typeof shippedScenarios;
  readonly read: typeof readPosted;
  readonly parse: typeof parsePosted;
  readonly run: (scenario: StoredScenario, inputs: RunInputs) => ReturnType<typeof runStored>;
}

export interface ScenarioJob {
  readonly kind: keyof ScenarioJobs;
  readonly inputs: readonly unknown[];
}

/** A sign of life, the result of the job, or the bug that ended it. */
export type ScenarioNews =
  | { readonly kind: "alive" }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "broken"; readonly stack: string };

/** The maximum number of stored scenarios besides the shipped ones, and of all their characters. */
const POSTED_MAX = 1_000;
const POSTED_CHARACTERS_MAX = 16_000_000;

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

/** The shared store of several servers for all posted scenarios. */
interface SharedScenarios {
  readonly load: () => Promise<ReadonlyMap<string, string>>;
  readonly keep: (name: string, text: string) => Promise<void>;
}

interface Waiting {
  readonly job: ScenarioJob;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The scenarios that a server can run on request: the shipped ones and the posted ones. Files are read, checked and run
 * in separate threads, so that a file cannot delay another request or fill the memory of the server. If a file blocks
 * its thread, the job is ended.
 */
export class ScenarioLibrary {
  readonly #posted = new Map<string, PostedScenario>();
  readonly #threadFile: URL;
  readonly #shared: SharedScenarios | undefined;
  readonly #wall: Wall;
  readonly #idle = new Map<Worker, Deadline>();
  readonly #threads = new Set<Worker>();
  readonly #waiting: Waiting[] = [];
  #runs = 0;
  #shipped: Promise<Map<string, StoredScenario>> | undefined;

  /**
   * `threadFile` is the module of the threads. With `shared`, several servers share their posted scenarios.
   */
  constructor(threadFile: URL, shared?: SharedScenarios, wall: Wall = systemWall) {
    this.#threadFile = threadFile;
    this.#shared = shared;
    this.#wall = wall;
  }

  /** Takes over the scenarios that were posted to other servers. */
  async refresh(): Promise<void> {
    const stored = await this.#shared?.load();
    for (const [name, text] of stored ?? []) {
      if (this.#posted.get(name)?.text === text) continue;
      const read = await this.#do("read", text);
      if ("scenario" in read) this.#posted.set(name, read.scenario);
    }
  }

  async all(): Promise<StoredScenario[]> {
    await this.refresh();
    return [...new Map([...(await this.#shippedByName()), ...this.#posted]).values()];
  }

  /** Finds one by its name, or by the file it ships in, such as `payouts/slow-key`. */
  async get(name: string): Promise<StoredScenario | undefined> {
    await this.refresh();
    const posted = this.#posted.get(name);
    if (posted !== undefined) return posted;
    const shipped = await this.#shippedByName();
    const file = `${name.replace(/\.yaml$/, "")}.yaml`;
    return shipped.get(name) ?? [...shipped.values()].find((one) => one.file === file);
  }

  /** Returns the posted scenarios. */
  posted(): Iterable<PostedScenario> {
    return this.#posted.values();
  }

  /** Parses a posted scenario, with values for its params. */
  async parse({ text }: Pick<PostedScenario, "text">, params: RunInputs["params"]): Promise<ParsedText> {
    return this.#do("parse", text, params);
  }

  /** Stores a scenario that was sent as text. It replaces a posted scenario of the same name. */
  async add(text: string): Promise<ReturnType<typeof readPosted> | { readonly full: string }> {
    await this.refresh();
    const read = await this.#do("read", text);
    if (!("scenario" in read)) return read;
    const { name } = read.scenario;
    const replaced = this.#posted.get(name);
    let characters = text.length - (replaced?.text.length ?? 0);
    for (const one of this.#posted.values()) characters += one.text.length;
    if ((replaced === undefined && this.#posted.size >= POSTED_MAX) || characters > POSTED_CHARACTERS_MAX)
      return {
        full: `A server keeps ${POSTED_MAX} posted scenarios of ${POSTED_CHARACTERS_MAX} characters in total.`,
      };
    await this.#shared?.keep(name, read.scenario.text);
    this.#posted.set(name, read.scenario);
    return read;
  }

  run(scenario: StoredScenario, inputs: RunInputs = {}): ReturnType<typeof runStored> {
    return this.#do("run", scenario, inputs);
  }

  /** Ends its threads. Running jobs are given up. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
  }

  async #shippedByName(): Promise<Map<string, StoredScenario>> {
    this.#shipped ??= this.#do("list").then(
      (list) => new Map(list.map((scenario) => [scenario.name, scenario])),
    );
    return this.#shipped;
  }

  #do<Kind extends keyof ScenarioJobs>(
    kind: Kind,
    ...inputs: Parameters<ScenarioJobs[Kind]>
  ): Promise<Awaited<ReturnType<ScenarioJobs[Kind]>>> {
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(refusal("Too many scenarios are waiting. Send it again later."));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job: { kind, inputs }, resolve, reject });
      this.#startNext();
    });
  }

  #startNext(): void {
    const [thread] = this.#idle.keys();
    if (thread === undefined && this.#threads.size >= THREADS_MAX) return;
    const at = this.#waiting.findIndex(({ job }) => job.kind !== "run" || this.#runs < RUNS_MAX);
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (next !== undefined) this.#start(thread ?? this.#open(), next);
  }

  #open(): Worker {
    const thread = new Worker(this.#threadFile, {
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
    this.#idle.get(thread)?.[Symbol.dispose]();
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
    let silence = this.#wall.deadline(SILENCE_MAX_MS, giveUp);
    const end = (): void => {
      if (job.kind === "run") this.#runs--;
      silence[Symbol.dispose]();
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
    const ended = (): void => fail(refusal("The server is closing, or the scenario ended its thread."));
    const hear = (news: ScenarioNews): void => {
      if (news.kind === "alive") {
        silence[Symbol.dispose]();
        silence = this.#wall.deadline(SILENCE_MAX_MS, giveUp);
        return;
      }
      end();
      if (news.kind === "done") resolve(news.result as never);
      else reject(Object.assign(new Error("a scenario thread failed"), { stack: news.stack }));
      thread.unref();
      this.#idle.set(
        thread,
        this.#wall.deadline(IDLE_MS, () => void thread.terminate()),
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
