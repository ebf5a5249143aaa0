import {
  type AnsweredRequest,
  type Answering,
  type Handler,
  type LoggedListener,
  type LoggedRequest,
  type NamedRequest,
  type ReceivedRequest,
  whenAnswered,
} from "./environment.ts";
import type { RequestHead } from "../simulator/worlds/masking.ts";
import type { Saving } from "./save-before-answer.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds/worlds.ts";
import { errorStatuses } from "../simulator/api/operations.ts";
import { failureAnswer } from "./answer.ts";
import { isControlPath } from "../simulator/api/routes.ts";
import { nameRequest } from "./caller.ts";
import { performance } from "node:perf_hooks";
import { UNKNOWN_PATH } from "../simulator/worlds/inbound-request.ts";

/** The parts of a server that a request meets. */
interface Life {
  readonly worlds: Worlds;
  /** Undefined if the worlds are only in memory. */
  readonly saving: Saving | undefined;
  readonly answer: Handler<NamedRequest>;
  readonly onLogged: LoggedListener | undefined;
}

/**
 * Returns the life of a request on this server, in four states: received, named, answered, logged. The functions below
 * follow in this order. A request that waits for nothing is answered in its turn.
 */
export function requestLife(life: Life): Handler<ReceivedRequest> {
  const { saving } = life;
  return (received) => {
    const began = performance.now();
    if (saving === undefined) return answerReceived(life, received, began);
    return saving.ready().then(() => answerReceived(life, received, began));
  };
}

/** Finds the sender of a request, and answers it. */
function answerReceived(life: Life, received: ReceivedRequest, began: number): Answering {
  const { worlds, saving } = life;
  const saved = saving?.begin();
  const answerNow = (named: NamedRequest | Response): Answering => {
    if (named instanceof Response) return saved?.(received, named) ?? named;
    const answerSaved = (): Answering => {
      const answering = answerNamed(life, named);
      return saved === undefined ? answering : whenKnown(answering, (response) => saved(named, response));
    };
    return whenAnswered(answerSaved, (response) => {
      named.end.reached();
      if (response === undefined) return;
      const status = named.inbound.isDropped ? null : response.status;
      log(life, { named, status, durationMs: performance.now() - began });
    });
  };
  return failuresAnswered(
    () => whenKnown(nameRequest(worlds, received), answerNow),
    (error) => failureAnswer(worlds, error, received),
  );
}

/** Answers a request of a known sender. Its world is not idle before the answer. */
function answerNamed({ worlds, answer }: Life, named: NamedRequest): Answering {
  const answerIt = (): Answering =>
    failuresAnswered(
      () => answer(named),
      (error) => failureAnswer(worlds, error, named),
    );
  const { id = DEFAULT_WORLD } = named.caller.world ?? {};
  if (id === DEFAULT_WORLD) return answerIt();
  worlds.asked(id);
  return whenAnswered(answerIt, () => worlds.answered(id));
}

/** Puts an answered request into the journal of its world, and counts the errors of the platform API. */
function log({ worlds, onLogged }: Life, answered: AnsweredRequest): void {
  const { named, status, durationMs } = answered;
  const { inbound } = named;
  inbound.ended(status, durationMs);
  const isRefused = status !== null && status >= 400;
  if (onLogged === undefined && inbound.isJournaled && !isRefused) return;
  const logged = loggedRequest(worlds, answered);
  if (logged === undefined) return;
  onLogged?.(logged);
  const { operation, world } = logged;
  if ((inbound.isJournaled && !isRefused) || isControlPath(inbound.head.path)) return;
  if (isRefused) world.coverage.refused(codeIn(inbound.answer) ?? codeOf(status));
  const name = operation ?? (isLost(inbound.head, status) ? UNKNOWN_PATH : undefined);
  if (name !== undefined) world.note({ by: "call", name }, inbound);
}

/** Returns an answered request with its operation and its world. Undefined if no world here can log it. */
function loggedRequest(
  worlds: Worlds,
  { named: { matched, caller, inbound }, status, durationMs }: AnsweredRequest,
): LoggedRequest | undefined {
  // After a failure, the storage may have built the worlds again.
  const world = worlds.here(caller.world?.id ?? DEFAULT_WORLD) ?? worlds.here(DEFAULT_WORLD);
  if (world === undefined) return undefined;
  const operation = isControlPath(inbound.head.path) ? undefined : matched?.id;
  return { inbound, operation, world, status, durationMs };
}

/** Continues with a value, in the same turn if it is known. */
function whenKnown<T>(value: T | Promise<T>, answer: (value: T) => Answering): Answering {
  return value instanceof Promise ? value.then(answer) : answer(value);
}

/** Answers a failure of a handler. */
function failuresAnswered(answer: () => Answering, failed: (error: Error) => Response): Answering {
  try {
    const answering = answer();
    return answering instanceof Promise ? answering.catch(failed) : answering;
  } catch (error) {
    return failed(error as Error);
  }
}

/** Returns true if a client called an operation that does not exist. A browser's request for a page is not a call. */
function isLost({ path, headers }: RequestHead, status: number | null): boolean {
  return status === 404 && !path.startsWith("/pay/") && (headers["sec-fetch-dest"] ?? "empty") === "empty";
}

/** Returns the error code for a status (assumption: http.statuses). */
function codeOf(status: number): string {
  return Object.entries(errorStatuses).find(([, one]) => one === status)?.[0] ?? "INTERNAL_ERROR";
}

/** Returns the code of an error. Undefined if the answer has no code, such as an answer in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}
