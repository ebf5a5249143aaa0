import type { PartnerProcess } from "./partner-process.ts";
import { REQUEST_ID_HEADER } from "../server/control/client.js";
import type { SpentTime } from "../base/spent-time.ts";

/**
 * The moment of a kill at a webhook. A number is milliseconds after the request. `one turn` is a turn of the event loop
 * after it. `work done` is the end of the work, if only the answer is missing then.
 */
export type KillMoment = number | "one turn" | "work done" | "answered";

/** Answers the requests of steps whose URL begins with `partner:`, in this process. It may call the sandbox there. */
export type PartnerClient = (
  request: Request,
  sandbox: { readonly fetch: typeof fetch },
) => Promise<Response> | Response;

/**
 * The partner's system over many runs. Requests to it wait until it runs. Requests in flight during a kill get no
 * answer.
 */
export class PartnerLife {
  readonly #process: PartnerProcess | undefined;
  readonly #spent: SpentTime;
  #ready: Promise<void> = Promise.resolve();
  #epoch = Promise.withResolvers<void>();
  #calls = 0;
  #callsMax = Infinity;
  #run = "";
  #isRefused = false;
  #died: () => () => void = () => () => undefined;

  constructor(process: PartnerProcess | undefined, spent: SpentTime) {
    this.#process = process;
    this.#spent = spent;
  }

  get canBeKilled(): boolean {
    return this.#process !== undefined;
  }

  /** True if a kill takes time, such as the kill of a container. */
  get isKilledSlowly(): boolean {
    return this.#process?.killMs !== undefined;
  }

  /** Resolves when the system accepts requests. Rejects if it does not start again. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Waits until it is known if the system can be asked. Returns true if it can. */
  async isReady(): Promise<boolean> {
    return this.#ready.then(
      () => true,
      () => false,
    );
  }

  /** The reason why the process ended without a kill. Undefined while it runs. */
  get ending(): string | undefined {
    return this.#process?.ending?.();
  }

  /**
   * Begins a run. A run with more than `callsMax` calls is endless. In this process such calls are refused, so that the
   * client ends. `died` is called when the process is dead. Its result is called when the process runs again, or did
   * not start.
   */
  begin(
    run: string,
    { callsMax, died }: { readonly callsMax: number; readonly died: () => () => void },
  ): void {
    this.#run = run;
    this.#callsMax = callsMax;
    this.#calls = 0;
    this.#isRefused = false;
    this.#died = died;
  }

  /** True if its calls of this run are refused from now on, because they have no end. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Notes that its calls of this run are refused from now on. */
  refuse(): void {
    this.#isRefused = true;
  }

  /**
   * Begins a slow kill, so that the system dies at a moment after a request. Resolves when the request must be sent, with
   * the time from the begin of a kill to the death.
   */
  async beginKill(moment: Exclude<KillMoment, "answered">): Promise<number> {
    const leadMs = this.#process?.killMs?.() ?? 0;
    if (moment === "work done") return 0;
    const aheadMs = leadMs - (moment === "one turn" ? 0 : moment);
    if (aheadMs <= 0) return leadMs;
    this.#process?.beginKill?.();
    await this.#spent.wallOf("start").pause(aheadMs);
    return leadMs;
  }

  /** Kills it, and starts it again. Resolves when it is dead. */
  async kill(): Promise<void> {
    const { kill, start } = this.#process ?? {};
    if (kill === undefined || start === undefined) return;
    const epoch = this.#epoch;
    this.#epoch = Promise.withResolvers();
    const dead = this.#spent.during("start", kill).then(() => this.#died());
    this.#ready = dead.then((ended) => this.#spent.during("start", start).finally(ended));
    // Requests to the system wait for the start, and report its failure.
    this.#ready.catch(() => undefined);
    await dead;
    epoch.resolve();
  }

  /** Returns the answer of the work. Undefined if the process is killed before. */
  async whileAlive<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    await this.#ready;
    const epoch = this.#epoch;
    const result = await Promise.race([work(), epoch.promise.then(() => undefined)]);
    // During a kill, its port may refuse requests before its death is known.
    return epoch === this.#epoch ? result : undefined;
  }

  /** Returns a `fetch` for one request of a client. It ends with the life of the process that began it. */
  fetchOf(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    let isDead = false;
    void this.#epoch.promise.then(() => (isDead = true));
    const reset = (): never => {
      throw new TypeError("fetch failed", { cause: new Error("the process was killed") });
    };
    return async (input, init) => {
      this.#calls += 1;
      if (isDead || this.#calls > this.#callsMax) reset();
      // An id that the sandbox draws would differ from one exploration to the next.
      const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
      if (!headers.has(REQUEST_ID_HEADER)) headers.set(REQUEST_ID_HEADER, `${this.#run}-call-${this.#calls}`);
      const answer = await fetch(input, { ...init, headers });
      return isDead ? reset() : answer;
    };
  }

  /** True if it called more often than any system needs to. */
  get isEndless(): boolean {
    return this.#calls > this.#callsMax;
  }
}
