import {
  ADMIN_TOKEN_HEADER,
  type ControlClient,
  controlClient,
  streamEvents,
  WORLD_HEADER,
} from "../../server/control/client.js";
import type { FollowClockOptions, FollowedClock, FollowedWorld } from "../../server/access/followed-clock.ts";
import { FakeClock, real } from "./fake-clock.ts";
import { httpFetch } from "../../base/http-fetch.ts";
import { OpenRequests } from "./open-requests.ts";
import { announceThread, programLoaded, watchThreads } from "./clock-threads.ts";
import { spawnSync } from "node:child_process";

/** The pause before a stream that has ended is opened again. */
const REOPEN_MS = 200;

/** The time that a process may take to report its end. */
const LEAVE_MS = 1_000;

/** Makes a program as a whole follow the clock of a world, with its threads. */
export async function followProgram(options: FollowedWorld & FollowClockOptions): Promise<void> {
  const follower = await followRemote(options);
  follower.followThreads();
}

/** Makes this thread follow the clock of a world on a running server. */
export function followRemote(options: FollowedWorld & FollowClockOptions): Promise<ClockFollower> {
  const { url, token, world, adminToken } = options;
  // Its connections do not keep the process alive.
  const fetch = (request: Request): Promise<Response> => httpFetch(request, { isUnref: true });
  return followWith(controlClient({ url, fetch, adminToken, world, token }), options, options);
}

let isFollowing = false;

/** Follows a clock like `followClock`, over any client. Without `remote` the sandbox is in this process. */
export async function followWith(
  client: ControlClient,
  options: FollowClockOptions,
  remote?: FollowedWorld,
): Promise<ClockFollower> {
  if (isFollowing)
    throw new Error("Failed to follow the clock: this thread already follows a clock. Stop that first.");
  isFollowing = true;
  const follower = new ClockFollower(client, options, remote);
  // The connections of a follower do not keep the process alive before there is anything else.
  const keepAlive = real.setInterval(() => undefined, LEAVE_MS);
  try {
    await follower.begin();
  } catch (error) {
    isFollowing = false;
    throw error;
  } finally {
    real.clearInterval(keepAlive);
  }
  return follower;
}

export class ClockFollower implements FollowedClock {
  readonly #client: ControlClient;
  readonly #options: FollowClockOptions;
  readonly #remote: FollowedWorld | undefined;
  readonly #settleMs: number;
  readonly #ending = new AbortController();
  #clock: FakeClock | undefined;
  #requests: OpenRequests | undefined;
  #isInTurn = false;
  /** The wait from the arrival of a request until this process is idle again. */
  #busy: Promise<unknown> | undefined;
  #reportedNext: number | null = null;
  #isReporting = false;
  /** The last report. Each report waits for it, so that reports arrive in their order. */
  #lastReport: Promise<void> = Promise.resolve();
  id = "";

  constructor(client: ControlClient, options: FollowClockOptions, remote: FollowedWorld | undefined) {
    this.#client = client;
    this.#options = options;
    this.#remote = remote;
    this.#settleMs = options.settle ?? 5;
  }

  async begin(): Promise<void> {
    const { now } = await this.#register();
    const stream = await this.#open();
    const { real: realFiles = [], only } = this.#options;
    this.#clock = new FakeClock(Date.parse(now), {
      isDateOnly: only === "date",
      realFiles,
      changed: () => this.#changed(),
    });
    this.#requests = new OpenRequests({
      url: this.#client.url,
      arriving: () => (this.#isInTurn ? undefined : this.#announce()),
    });
    if (this.#remote !== undefined) process.on("exit", this.#leave);
    await this.#put({ next: null });
    void this.#follow(stream);
  }

  /** Follows for the whole program. While a new thread starts, its program and its maker are not idle. */
  followThreads(): void {
    const requests = this.#requests;
    if (requests === undefined) return;
    const isMade = watchThreads({
      making: (thread) => requests.began(thread),
      started: (thread) => requests.ended(thread),
      ended: (id) => void this.#remove(id),
    });
    if (!isMade) return;
    // The thread that made this one removes it.
    process.off("exit", this.#leave);
    announceThread(this.id, { isStarted: false });
    void programLoaded(requests)
      .then(() => this.#put({ next: this.#clock?.next ?? null }))
      .then(() => announceThread(this.id, { isStarted: true }));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#clock?.uninstall();
    this.#requests?.stop();
    process.off("exit", this.#leave);
    isFollowing = false;
    await this.#remove(this.id);
  }

  async #remove(id: string): Promise<void> {
    await this.#client.ask("DELETE /sandbox/clock/followers/{id}", { id }).catch(() => undefined);
  }

  async #register() {
    const { name = programName(), turnTimeout, lease } = this.#options;
    const limits = {
      ...(turnTimeout !== undefined && { turnTimeout }),
      ...(lease !== undefined && { lease }),
    };
    const follower = await this.#client.ask("POST /sandbox/clock/followers", {
      name,
      eachAdvance: true,
      eachInstant: false,
      ...limits,
    });
    this.id = follower.id;
    return follower;
  }

  #open(): Promise<Response> {
    const { signal } = this.#ending;
    return this.#client.open("GET /sandbox/clock/followers/{id}/turns", { id: this.id }, { signal });
  }

  /** Follows until it is stopped. An ended stream is opened again, perhaps as another follower. */
  async #follow(first: Response): Promise<void> {
    let stream: Response | undefined = first;
    while (!this.#ending.signal.aborted) {
      try {
        stream ??= await this.#open();
        await this.#readTurns(stream);
      } catch (error) {
        if ((error as { status?: number }).status === 404) await this.#register().catch(() => undefined);
      }
      stream = undefined;
      await new Promise((resolve) => real.setTimeout(resolve, REOPEN_MS).unref());
    }
  }

  async #readTurns(stream: Response): Promise<void> {
    for await (const { type, data } of streamEvents(stream.body as AsyncIterable<Uint8Array> | null)) {
      if (data === undefined || this.#ending.signal.aborted) continue;
      const news = JSON.parse(data) as { now: string; turn: number; mode: "running" | "frozen" };
      if (type === "turn") await this.#take(news.turn, Date.parse(news.now));
      else await this.#set(news);
    }
  }

  async #set({ mode, now }: { readonly mode: "running" | "frozen"; readonly now: string }): Promise<void> {
    await this.#clock?.set(mode, Date.parse(now));
  }

  /** Runs the due timers, and reports when this process is idle. */
  async #take(turn: number, now: number): Promise<void> {
    const { id } = this;
    this.#isInTurn = true;
    let ran = 0;
    do {
      ran += (await this.#clock?.runUntil(now, () => this.#rest(0))) ?? 0;
      await this.#rest(this.#settleMs);
    } while ((this.#clock?.next ?? Infinity) <= now);
    const next = this.#clock?.next ?? null;
    this.#isInTurn = false;
    this.#reportedNext = next;
    const ended = { id, turn: String(turn), next: textOf(next), ran };
    await this.#client.ask("POST /sandbox/clock/followers/{id}/turns/{turn}", ended).catch(() => undefined);
  }

  /** Waits until no request is open, for so long. */
  async #rest(settleMs: number): Promise<void> {
    this.#requests?.restartIdleTime();
    await new Promise((resolve) => real.setImmediate(resolve));
    await this.#requests?.idle(settleMs);
  }

  /** Reports that it is busy, and gets the time, before an incoming request is handled. */
  #announce(): Promise<unknown> {
    if (this.#busy === undefined) {
      this.#busy = this.#put({ busy: true });
      void this.#reportIdle(this.#busy);
    }
    return this.#busy;
  }

  async #reportIdle(said: Promise<unknown>): Promise<void> {
    await said;
    await this.#requests?.idle(this.#settleMs);
    this.#busy = undefined;
    await this.#put({ next: this.#clock?.next ?? null });
  }

  /** Reports the earliest timer if it changed, after the running code ends. */
  #changed(): void {
    if (!this.#isReporting) void this.#reportNext();
  }

  async #reportNext(): Promise<void> {
    this.#isReporting = true;
    await new Promise((resolve) => real.setImmediate(resolve));
    this.#isReporting = false;
    const next = this.#clock?.next ?? null;
    const isOwed = !this.#isInTurn && this.#busy === undefined && !this.#ending.signal.aborted;
    if (isOwed && next !== this.#reportedNext) await this.#put({ next });
  }

  #put(report: { readonly next?: number | null; readonly busy?: boolean }): Promise<void> {
    const { next, busy } = report;
    if (next !== undefined) this.#reportedNext = next;
    const body = { ...(next !== undefined && { next: textOf(next) }), ...(busy !== undefined && { busy }) };
    this.#lastReport = this.#send(body, this.#lastReport);
    return this.#lastReport;
  }

  async #send(body: object, before: Promise<void>): Promise<void> {
    await before;
    // A sandbox that is gone stops no partner: the stream says when it is back.
    const answer = await this.#client
      .ask("PUT /sandbox/clock/followers/{id}", { id: this.id, ...body })
      .catch(() => undefined);
    const isBehind = answer?.mode === "frozen" && Date.parse(answer.now) > (this.#clock?.now ?? Infinity);
    if (isBehind) await this.#set(answer);
  }

  /** Ends the turn of a process that ends during its turn. Asynchronous code does not run then. */
  readonly #leave = (): void => {
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const { url, world, token, adminToken } = this.#remote ?? { url: "" };
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(world !== undefined && { [WORLD_HEADER]: world }),
      ...(adminToken !== undefined && { [ADMIN_TOKEN_HEADER]: adminToken }),
    };
    const request = { url: `${url}/sandbox/clock/followers/${this.id}`, method: "DELETE", headers };
    spawnSync(process.execPath, ["-e", LEAVE], {
      env: { ...env, SANDBANK_LEAVE: JSON.stringify(request) },
      timeout: LEAVE_MS,
      stdio: "ignore",
    });
  };
}

const LEAVE =
  "const { url, ...init } = JSON.parse(process.env.SANDBANK_LEAVE); fetch(url, init).catch(() => {})";

function textOf(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** Returns the file that runs, without its folder. */
export function programName(): string {
  return (process.argv[1] ?? "node").split(/[\\/]/).at(-1)?.slice(0, 100) ?? "node";
}
