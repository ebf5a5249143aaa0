import {
  type AttemptOrder,
  type AttemptOutcome,
  closeAttempt,
  openAttempt,
} from "../platform/webhook-events/attempts.ts";
import type { AttemptResult, WebhookRequest, WireManner } from "./attempt.ts";
import { type Cause, DURATION_MS, type Input } from "../engine/journal.ts";
import { type Delivery, deliveries } from "../platform/webhook-events/delivery.ts";
import type { Simulation } from "../engine/simulation.ts";
import { type Instant, durationMs } from "../engine/instant.ts";
import { appliedIn } from "../platform/faults/selection.ts";
import { effectOf } from "../platform/faults/effects.ts";
import { assumption } from "../platform/assumptions/assumptions.ts";
import { compose, mannerOf, unsentResult } from "./composition.ts";
import { ConnectionLimit, type Transport } from "./transport.ts";
import { assertDefined } from "../engine/assertion.ts";
import { recordOf } from "../engine/transaction.ts";
import { memory } from "../../base/memory.ts";
import { setImmediate } from "node:timers";
import { attemptTrace, TRACEPARENT, traceparentOf, writeTraceparent } from "./trace.ts";
import { withQrImages } from "../qr-images/qr-images.ts";

/** The kept bytes of a request's body: more than any event, much less than a body that a fault can make. */
const REQUEST_KEPT_BYTES = 256 * 1024;

/** The kept bytes of a body if memory is nearly used up. */
const KEPT_WHEN_FULL = 1_000;

/** A larger body waits for its turn before it is composed. Only a fault makes such a body. */
const LARGE_BODY_BYTES = 64 * 1024;

/** The limit for large bodies in memory: one for each world, and a second one if only one world sends. */
const largeBodies = new ConnectionLimit({ perOrigin: 2, worldMax: 2, shared: 2, perWorld: 1, inAll: 64 });

/** The approximate number of characters in the input of an opened attempt. */
const ATTEMPT_INPUT_SIZE = 100;

/** The journal's record of the opening of an attempt, and of the copies that are sent at the same moment. */
export interface AttemptInput extends Input {
  readonly kind: "attempt";
  names: readonly string[];
  /** True if a fault loses the attempt before it is sent. */
  isUnsent?: true;
  /** The fault on the wire. */
  manner?: WireManner["kind"];
  /**
   * The order of the attempt. A world that is loaded again needs it to make the attempt again, without opening it a
   * second time.
   */
  order?: AttemptOrder;
}

/** The journal's record of an outcome that changed nothing. Other outcomes are in the record of the delivery. */
export interface OutcomeInput extends Input {
  readonly kind: "outcome";
  readonly name: string;
  readonly result: AttemptResult;
}

/** An order of the simulation with its request and, at the end, its result. */
interface ExchangeAttempt {
  readonly order: AttemptOrder;
  /** The body of the event. */
  readonly text: Delivery["body"];
  readonly request: WebhookRequest;
  /** Returns the headers without a trace, and the body. */
  readonly composed: () => ReturnType<typeof compose>;
  /** The result, and the part of the request that a world keeps. Undefined until the exchange has ended. */
  ended?: {
    readonly result: AttemptResult;
    readonly sent: Pick<AttemptOutcome, "requestHeaders" | "requestBody" | "requestBytes">;
  };
}

/** An attempt together with the copies and other events that are sent at the same moment. */
export interface Exchange {
  readonly cause: Cause;
  readonly at: Instant;
  readonly objectId: string;
  readonly attempts: readonly ExchangeAttempt[];
  /** The number of its cause: see `Unfinished`. */
  readonly sequence: number;
  /**
   * 1. opened: it waits for the answer to its cause, and for the attempt before it;
   * 2. sent: it waits for the receiver;
   * 3. ended: its results are known;
   * 4. committed: its results are part of the world.
   */
  state: "opened" | "sent" | "ended" | "committed";
}

/**
 * Returns an attempt with the settings of its world. Its request is composed at its first use, because thousands of
 * attempts may wait for a connection.
 */
export function exchangeAttempt(
  order: AttemptOrder,
  { reading, journal, now }: Simulation,
  sender: Pick<WebhookRequest, "world" | "isOver">,
): ExchangeAttempt {
  const { url, body: text, event, companyId, announcedBy } = recordOf(reading, deliveries, order.deliveryId);
  const announcement = journal.entry(announcedBy);
  const named = { delivery: order.deliveryId, number: order.number };
  const trace = attemptTrace(traceparentOf(journal, announcement), named);
  let made: ReturnType<typeof compose> | undefined;
  const composed = (): ReturnType<typeof compose> => (made ??= compose(text, order));
  const request: WebhookRequest = {
    url,
    get headers() {
      const { headers } = composed();
      return trace ? { ...headers, [TRACEPARENT]: writeTraceparent(trace) } : headers;
    },
    get body() {
      return composed().body;
    },
    deadlineMs: durationMs(assumption(reading, "webhook.timeout")),
    egressMode: assumption(reading, "webhook.egress"),
    ...sender,
    ...(order.injection.faults.length === 0 && { signedBy: companyId }),
    about: { ...named, event, companyId, at: now, announcement },
    manner: mannerOf(order.injection.faults),
  };
  return { order, text, request, composed };
}

/** Opens the due attempt of a delivery. Undefined if no attempt is due. */
export function openExchange(
  simulation: Simulation,
  {
    delivery,
    sequence,
    sender,
  }: {
    readonly delivery: Delivery;
    readonly sequence: number;
    readonly sender: Pick<WebhookRequest, "world" | "isOver">;
  },
): Exchange | undefined {
  const { id, event, objectId, announcedBy } = delivery;
  const cause: Cause = { by: "delivery", name: event, entry: announcedBy };
  const input: AttemptInput = { kind: "attempt", size: ATTEMPT_INPUT_SIZE, names: [] };
  const opened = simulation.execute({ ...cause, input }, (tx) => openAttempt(tx, id));
  if (!opened.ok || opened.value === undefined) return undefined;
  const { injection, together } = opened.value;
  const attempts = [opened.value, ...together].map((order) => exchangeAttempt(order, simulation, sender));
  const manner = attempts[0]?.request.manner;
  input.names = attempts.map(({ order }) => nameOf(order));
  input.order = opened.value;
  if (injection.unsent !== null) input.isUnsent = true;
  if (manner !== undefined) input.manner = manner.kind;
  return { cause, at: simulation.now, objectId, attempts, sequence, state: "opened" };
}

/** Returns the unique name of an attempt. */
function nameOf({ deliveryId, number }: AttemptOrder): string {
  return `${deliveryId} ${number}`;
}

/** Returns true if a fault sends one of its attempts before the answer to the call. */
export function isEarly({ attempts }: Exchange): boolean {
  return attempts.some(({ order }) =>
    order.injection.faults.some(({ effect }) => effectOf(effect).isBeforeAnswer),
  );
}

/** Sends an exchange after the answer to its cause. The exchange ends even if the sandbox itself fails here. */
export async function send(exchange: Exchange, transport: Transport): Promise<void> {
  exchange.state = "sent";
  await afterTheAnswer();
  try {
    await sendAttempts(exchange, transport);
  } finally {
    exchange.state = "ended";
  }
}

/** Sends attempts that belong together, and keeps their results. */
async function sendAttempts({ attempts }: Exchange, transport: Transport): Promise<void> {
  const [first] = attempts;
  const isOver = first?.request.isOver;
  if (first === undefined || isOver?.() === true) return;
  const { injection } = first.order;
  // If a fault loses an attempt on the way, its copies are lost too.
  const lost = attempts.map(({ order }) => unsentResult(injection) ?? unsentResult(order.injection));
  const leaving = attempts.filter((_, index) => lost[index] === undefined);
  const post = async (): Promise<void> => {
    const results = leaving.length === 0 ? [] : [...(await transport(leaving.map(({ request }) => request)))];
    if (isOver?.() === true) return;
    for (const [index, attempt] of attempts.entries()) {
      // The trace is not a part of the world: a call has the same journal with it and without it.
      const { headers: requestHeaders, body } = attempt.composed();
      attempt.ended = {
        result: lost[index] ?? assertDefined(results.shift(), "the result of an attempt"),
        sent: { requestHeaders, requestBody: sentText(attempt, body), requestBytes: body.length },
      };
    }
  };
  const bytes = Number(appliedIn(injection.faults, "body")?.fields["bytes"] ?? 0);
  const { world = "" } = first.request;
  return bytes > LARGE_BODY_BYTES ? largeBodies.run({ world, origin: "" }, post) : post();
}

/** Returns the text of the event if no fault changed it, so all attempts share one copy. */
function sentText({ text, order }: ExchangeAttempt, body: Uint8Array): AttemptOutcome["requestBody"] {
  if (order.injection.faults.length === 0 && body.length <= REQUEST_KEPT_BYTES) return text;
  const keptBytes = memory.isFull ? KEPT_WHEN_FULL : REQUEST_KEPT_BYTES;
  const sent = Buffer.from(body.subarray(0, keptBytes)).toString("utf8");
  return sent === withQrImages(text) ? text : sent;
}

/** Returns the stored outcome of an attempt. Its duration is known only to this process. */
function outcomeOf(at: Instant, { result, sent }: NonNullable<ExchangeAttempt["ended"]>): AttemptOutcome {
  const { status, error, message, responseHeaders, responseBody, responseTruncated, durationMs } = result;
  const isCut = responseBody.length > KEPT_WHEN_FULL && memory.isFull;
  return {
    at,
    status,
    error,
    message,
    ...sent,
    responseHeaders,
    responseBody: isCut ? responseBody.slice(0, KEPT_WHEN_FULL) : responseBody,
    responseTruncated: responseTruncated || isCut,
    [DURATION_MS]: durationMs,
  };
}

/** Commits the outcomes of an exchange. */
export function commitOutcomes(
  simulation: Simulation,
  { cause, at, attempts }: Exchange,
  before?: () => void,
): void {
  for (const { order, ended } of attempts) {
    const name = nameOf(order);
    const endedAttempt = assertDefined(ended, `the result of ${name}`);
    before?.();
    const { nextNumber } = simulation.journal;
    simulation.execute(cause, (tx) => closeAttempt(tx, order, outcomeOf(at, endedAttempt)));
    if (simulation.journal.entry(nextNumber)?.cause === cause) continue;
    const { result } = endedAttempt;
    const input: OutcomeInput = { kind: "outcome", size: result.responseBody.length, name, result };
    simulation.note({ ...cause, input });
  }
}

/** An exchange without committed outcomes. A world that is loaded again makes it again, but does not open it twice. */
export interface SavedExchange {
  readonly at: Instant;
  readonly order: AttemptOrder;
  /**
   * The results of the attempt and of its copies that are sent together. If they are not known, the attempt is made
   * again.
   */
  readonly endedAttempts?: readonly NonNullable<ExchangeAttempt["ended"]>[];
}

/** Returns the saved form of an exchange. */
export function savedExchange({ at, attempts, state }: Exchange): SavedExchange {
  const { order } = assertDefined(attempts[0], "the attempt");
  if (state !== "ended") return { at, order };
  return { at, order, endedAttempts: attempts.flatMap(({ ended }) => ended ?? []) };
}

function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
