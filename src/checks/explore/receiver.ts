import {
  type AttemptResult,
  type Transport,
  type WebhookRequest,
  connectionFailure,
  signedFor,
  transportToNetwork,
} from "../../server/access/webhook-sending.ts";
import type { Handler } from "../../partner/handler.ts";
import { handlerTransport } from "../../partner/handler-transport.ts";
import type { Kill } from "./kill-moments.ts";
import type { KillMoment, PartnerLife } from "../../partner/partner-system.ts";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import type { PendingRepeats } from "../../partner/pending-repeats.ts";
import type { Rest } from "../../partner/rest.ts";
import type { SpentTime } from "../../base/spent-time.ts";
import { Stopped } from "../../base/stop.ts";
import { abortedAfter, turns, type Wall } from "../../base/wall.ts";

/**
 * Looks at the system before an exchange. The function it resolves with is called after the answer, before the next
 * exchange leaves, with the requests that left in one moment and their results.
 */
export type Watcher = () => Promise<
  (
    exchange: readonly {
      readonly request: WebhookRequest;
      readonly result: AttemptResult;
    }[],
  ) => Promise<void>
>;

/** The part of a run that the receiver plays. */
interface ReceivedRun {
  /** Called after each exchange. `answerMs` is undefined if an answer is missing. */
  readonly answered?: (bodies: readonly string[], answerMs: number | undefined) => Promise<unknown>;
  readonly watcher?: Watcher | undefined;
  /** The delay in milliseconds of the second of two simultaneous requests. Undefined for exactly the same moment. */
  readonly offsetMs?: (() => number) | undefined;
  /** Returns the kill of the process with these bodies. Undefined for no kill. */
  readonly killOf?: (bodies: readonly string[]) => Kill | undefined;
}

export const KILLED: AttemptResult = {
  status: null,
  error: "reset",
  message: "The process was killed before it answered.",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 0,
};

/** The minimum time that an attempt of an exploration waits for its answer. */
const DEADLINE_MIN_MS = 2_000;

/** An attempt waits this many times longer than the slowest answer of the baseline. */
const SLOWER_MAX = 20;

/**
 * The receiver of an exploration. Webhooks are sent one after another, and webhooks of one moment together. So the same
 * schedule always has the same arrivals.
 */
export class ExploredReceiver {
  readonly #send: Transport;
  readonly #life: PartnerLife;
  readonly #wall: Wall;
  readonly #rest: Rest;
  readonly #spent: SpentTime;
  readonly #repeats: PendingRepeats;
  readonly #receiver: string | Handler;
  #last: Promise<unknown> = Promise.resolve();
  #deadlineMs = Infinity;
  #slowestMs = 0;
  #run: ReceivedRun = {};

  constructor(
    receiver: string | Handler,
    endpoint: Parameters<typeof signedFor>[0],
    {
      life,
      wall,
      rest,
      repeats,
      spent,
    }: {
      readonly life: PartnerLife;
      readonly wall: Wall;
      readonly rest: Rest;
      readonly repeats: PendingRepeats;
      readonly spent: SpentTime;
    },
  ) {
    this.#rest = rest;
    this.#spent = spent;
    this.#repeats = repeats;
    this.#wall = wall;
    this.#receiver = receiver;
    this.#life = life;
    const send =
      typeof receiver === "string" ? stoppable(transportToNetwork(), wall) : handlerTransport(receiver, wall);
    this.#send = signedFor(endpoint, (requests) => this.#sendApart(requests, send));
  }

  /** Sends requests that belong together, after all earlier requests were answered. */
  readonly transport: Transport = async (requests) => {
    const result = this.#last.then(() => this.#exchange(requests));
    this.#last = result.catch(() => undefined);
    return result.catch((error: unknown) => {
      // The run that waits for the result ends at its next pause.
      if (error instanceof Stopped) return requests.map(() => KILLED);
      throw error;
    });
  };

  /** Begins a new run, without waiting for requests of the run before. */
  begin(run: ReceivedRun): void {
    this.#last = Promise.resolve();
    this.#run = run;
  }

  /** Limits the wait for an answer from now on: not much longer than the slowest answer so far. */
  limitDeadline(): void {
    this.#deadlineMs = Math.max(DEADLINE_MIN_MS, SLOWER_MAX * this.#slowestMs);
  }

  /** Returns true if the receiver's port is closed. A receiver in this process is always there. */
  async isGone(): Promise<boolean> {
    if (typeof this.#receiver !== "string") return false;
    const failure = await connectionFailure(this.#receiver, { ms: DEADLINE_MIN_MS, wall: this.#wall });
    return failure !== undefined;
  }

  async #sendApart(requests: readonly WebhookRequest[], send: Transport): Promise<readonly AttemptResult[]> {
    const { offsetMs } = this.#run;
    if (offsetMs === undefined || requests.length < 2) return send(requests);
    const offsets = requests.map(() => offsetMs());
    const results = requests.map(async (request, index) => {
      await this.#wall.pause(offsets[index] ?? 0);
      return send([request]);
    });
    return (await Promise.all(results)).flat();
  }

  async #exchange(requests: readonly WebhookRequest[]): Promise<readonly AttemptResult[]> {
    const sent = requests.map((request) => ({
      ...request,
      deadlineMs: Math.min(request.deadlineMs, this.#deadlineMs),
    }));
    // If a process does not start again, the exploration ends at the next use of the process.
    if (!(await this.#life.isReady())) return sent.map(() => KILLED);
    await this.#rest.settle();
    await this.#repeats.ask();
    const { watcher, killOf, answered } = this.#run;
    const lookAgain = await watcher?.();
    const kill = killOf?.(sent.map(bodyOf));
    const isBeforeAnswer = kill !== undefined && kill.moment !== "answered";
    const leadMs = isBeforeAnswer ? await this.#life.beginKill(kill.moment) : 0;
    const startedMs = this.#wall.now();
    let answeredMs: number | undefined;
    let lostMs: number | undefined;
    const sending = this.#life.whileAlive(async () => {
      const results = await this.#spent.during("answers", () => this.#send(sent));
      const endedMs = this.#wall.now() - startedMs;
      if (results.every(({ error }) => error === null)) answeredMs = endedMs;
      else lostMs = endedMs;
      return results;
    });
    // After a stop nothing waits for it.
    sending.catch(() => undefined);
    if (isBeforeAnswer) await this.#comeTo(kill.moment, { sent, sending, leadMs });
    // An answer before the kill does not count.
    const answers = isBeforeAnswer ? undefined : await sending;
    const killedMs = this.#wall.now() - startedMs;
    if (kill !== undefined) await this.#life.kill();
    // A slow kill begins earlier. The lost connection shows the death, or else the end of the kill.
    const slowMs = lostMs ?? this.#wall.now() - startedMs;
    kill?.happened({ afterMs: leadMs > 0 ? slowMs : killedMs, answerMs: answeredMs });
    const results = answers ?? sent.map(() => KILLED);
    const answerMs = this.#wall.now() - startedMs;
    this.#slowestMs = Math.max(this.#slowestMs, answerMs);
    // An attempt without an answer shows the time-out, and not how long the system works.
    this.#rest.disturb(results.some(({ error }) => error === null) ? answerMs : 0, ...sent.map(eventOf));
    // The platform sends a refused webhook again.
    if (results.some(({ status }) => status === null || status >= 500)) await this.#repeats.passedOn();
    await lookAgain?.(sent.map((request, index) => ({ request, result: results[index] as AttemptResult })));
    await answered?.(sent.map(bodyOf), answeredMs);
    // Time moves on when this ends. Work after the answer, and the repeat of its failed call, belong to this moment.
    await this.#rest.settle();
    return results;
  }

  /** Waits until the moment of a kill. */
  async #comeTo(
    moment: Exclude<KillMoment, "answered">,
    {
      sent,
      sending,
      leadMs,
    }: {
      readonly sent: readonly WebhookRequest[];
      readonly sending: Promise<unknown>;
      readonly leadMs: number;
    },
  ): Promise<void> {
    if (moment === "one turn") return turns();
    if (moment !== "work done") return this.#wall.pause(Math.max(0, moment - leadMs));
    const startedMs = this.#wall.now();
    await sending;
    this.#rest.disturb(this.#wall.now() - startedMs, ...sent.map(eventOf));
    await this.#rest.settle();
  }
}

/** Returns the body of a request as text. */
export function bodyOf({ body }: Pick<WebhookRequest, "body">): string {
  return Buffer.from(body).toString("utf8");
}

/** Returns the name of the event in a request. */
function eventOf(request: WebhookRequest): string {
  const event = parsed(bodyOf(request));
  return isRecord(event) ? String(event["event"]) : "";
}

/** Returns a transport whose open attempts end with the deadlines of the wall. */
function stoppable(send: Transport, wall: Wall): Transport {
  return (requests) =>
    abortedAfter((signal) => send(requests.map((request) => ({ ...request, signal }))), {
      ms: Math.max(...requests.map(({ deadlineMs }) => deadlineMs)),
      wall,
    });
}
