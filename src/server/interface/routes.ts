import type { Answering, Handler as RequestHandler, NamedRequest } from "../environment.ts";
import type { Cause } from "../../simulator/engine/journal.ts";
import type { Call, Handler } from "../../simulator/platform/call.ts";
import type { Router } from "../router.ts";
import type { Run } from "../../simulator/worlds/run.ts";
import type { Transaction } from "../../simulator/engine/transaction.ts";
import type { Outcome, Simulation } from "../../simulator/engine/simulation.ts";
import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isRecord } from "../../simulator/engine/json.ts";
import { assumption } from "../../simulator/platform/assumptions/assumptions.ts";
import { type Extras, extraHeaders, extrasOf, KEY_HEADER } from "./call-extras.ts";
import { successStatusOf } from "./success-status.ts";
import { answerWithFaults, type CallFaultListener, hasFaults } from "./call-faults.ts";
import { removedToken } from "../caller.ts";
import {
  type CheckedQuery,
  bodyProblems,
  pathProblems,
  queryProblems,
  unusedParameterProblems,
  idempotencyKeyProblems,
} from "../../simulator/api/validation.ts";
import { firstQuery } from "../request.ts";
import { type ParsedBody, readJsonBody } from "../request-body.ts";
import { forbidden, invalidRequest, unauthorized } from "../../simulator/platform/refusals.ts";
import { type Clocked, internalError, jsonAnswer, refusalAnswer } from "../answer.ts";
import { handlers } from "../../simulator/platform/catalog.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { type Operation, operations } from "../../simulator/api/operations.ts";
import { type AccessToken, ORDER_SCOPE } from "../../simulator/platform/companies/access-token.ts";
import { withCallPlans } from "./plan-header.ts";
import { type Problem, Refusal } from "../../simulator/engine/refusal.ts";
import { type IdempotentAnswer, runOnce } from "../../simulator/platform/idempotency.ts";
import { TOKEN_PATHS } from "./client-credentials.ts";
import { answerTokenRequests } from "./token-endpoint.ts";
import { uses, withFreedoms } from "../../simulator/platform/freedoms.ts";
import { hiddenEntriesAt } from "../../simulator/platform/faults/visibility.ts";

/** Mounts the platform's interface: each operation at its path in `simulator/api/operations.ts`. */
export function mountInterface(router: Router, worlds: Worlds, onCallFault?: CallFaultListener): void {
  const { issueToken, ...others } = operations;
  const answer = answerTokenRequests(worlds, issueToken, onCallFault);
  for (const path of TOKEN_PATHS)
    router.add({ method: "POST", path }, { id: "issueToken", operation: issueToken, answer });
  router.mount<Operation>(others, (operation, id) => {
    const handler = handlers[id] as Handler<unknown, unknown>;
    return answerCalls({ worlds, operation, handler, onCallFault });
  });
}

/** The delay of an answer (assumption: freedoms.slow-answers). */
const SLOW_MS = 2_000;

const NO_BODY: ParsedBody = { value: undefined };
const NO_QUERY: CheckedQuery = { value: {}, problems: [] };

/** An operation of the platform, as this server answers it. */
interface Served {
  readonly worlds: Worlds;
  readonly operation: Operation;
  readonly handler: Handler<unknown, unknown>;
  readonly onCallFault?: CallFaultListener | undefined;
}

/** A call whose body was read. */
interface Arrived {
  readonly served: Served;
  readonly named: NamedRequest;
  readonly body: ParsedBody;
}

/** A call of a known sender, and the run of its world that answers. */
interface Admitted extends Arrived {
  readonly world: World;
  readonly token: AccessToken;
  readonly present: Run;
}

/**
 * Answers the calls of one operation. The functions below follow in the order of a call's life. A call without a wait
 * is answered in its turn.
 */
function answerCalls(served: Served): RequestHandler<NamedRequest> {
  const { request: shape } = served.operation;
  return function answerCall(named) {
    const admitWith = (body: ParsedBody): Answering => admit({ served, named, body });
    const world = named.caller.world ?? served.worlds.default;
    const reading = shape === undefined ? undefined : readJsonBody(named);
    if (!hasFaults(world)) return reading?.then(admitWith) ?? admitWith(NO_BODY);
    const call = { ...served, named, world, reading };
    const carryOut = async (): Promise<Response> => admitWith((await reading) ?? NO_BODY);
    return answerWithFaults(call, carryOut, served.onCallFault);
  };
}

/** Refuses a call without a valid token, and waits until its world can answer. */
function admit(arrived: Arrived): Answering {
  const { served, named } = arrived;
  const { world, token, hint } = named.caller;
  if (world === undefined || token === undefined)
    return refusalAnswer(served.worlds, unauthorized(hint), formOf(served.operation), named.inbound);
  const ready = readyForCall(world, served.operation);
  if (ready === undefined) return authorize(arrived, world, token);
  return ready.then(() => authorize(arrived, world, token));
}

/** Refuses a token that was removed while the call waited, or that lacks the scope. */
function authorize(arrived: Arrived, world: World, token: AccessToken): Answering {
  const { operation, worlds } = arrived.served;
  const removed = removedToken(world, token);
  if (removed !== undefined) return refusalAnswer(worlds, removed, formOf(operation), arrived.named.inbound);
  const { present } = world;
  const { simulation } = present;
  const admitted = { ...arrived, world, token, present };
  const needsScope = operation.scoped ?? assumption(simulation.reading, "auth.scope-elsewhere");
  if (!needsScope || token.scopes.includes(ORDER_SCOPE)) return carryOut(admitted);
  return refused(admitted, simulation, missingScope());
}

/** Checks the shape of a call, and runs the platform's handler as one command. */
function carryOut(admitted: Admitted): Answering {
  const { named, world, present, served, body: received } = admitted;
  const { operation } = served;
  const isLenient = assumption(present.simulation.reading, "payloads.null-fields") === "absent";
  const body = isLenient && "value" in received ? { value: withoutNulls(received.value) } : received;
  const call = callOf(admitted, body);
  const extras = extrasOf(named, operation, body);
  try {
    return execute(admitted, call.params, commandOf(served, call, extras), (clock, outcome) =>
      answerOf(admitted, extras, clock, outcome),
    );
  } catch (bug) {
    return internalError(named, bug as Error, world, formOf(operation));
  }
}

/** Runs the command of a call, or only reads a state that the call may see. */
function execute(
  { served, named, world, present }: Admitted,
  params: Call["params"],
  command: (tx: Transaction) => IdempotentAnswer,
  answer: (clock: Clocked, outcome: Outcome<IdempotentAnswer>) => Response,
): Answering {
  const { operation } = served;
  const { simulation } = present;
  const { inbound } = named;
  const cause: Cause = { by: "call", name: operation.operationId };
  const hidden = operation.method === "GET" ? staleReadBefore(simulation, params) : undefined;
  if (hidden !== undefined) {
    inbound.touchedBy(["event-before-commit"]);
    return answer(simulation, simulation.executeBefore(hidden, cause, command));
  }
  if (showsOutcomes(operation)) return answer(simulation, world.executeShown(cause, command, inbound));
  const { outcome, early } = world.executeCall(cause, command, inbound, present);
  if (early === undefined) return answer(simulation, outcome);
  // The clock may move while the answer waits.
  return early
    .then(() => answer(world, outcome))
    .catch((bug: unknown) => internalError(named, bug as Error, world, formOf(operation)));
}

/** Answers with the result of a command, or with its refusal. */
function answerOf(
  admitted: Admitted,
  extras: Extras,
  clock: Clocked,
  outcome: Outcome<IdempotentAnswer>,
): Response {
  if (!outcome.ok) return refused(admitted, clock, outcome.refusal);
  const { answer, isReplay } = outcome.value;
  if (answer instanceof Refusal) return refused(admitted, clock, answer);
  const { reading } = admitted.present.simulation;
  const status = successStatusOf(reading, admitted.served.operation);
  const { inbound } = admitted.named;
  return jsonAnswer(clock, status, withFreedoms(reading, answer), extraHeaders(extras, isReplay), inbound);
}

/** Answers with a refusal, in the form of the operation. */
function refused({ present, served, named }: Admitted, clock: Clocked, refusal: Refusal): Response {
  const { reading } = present.simulation;
  return refusalAnswer(clock, refusal, formOf(served.operation), named.inbound, (answer) =>
    withFreedoms(reading, answer),
  );
}

function formOf({ errorForm }: Operation): "sentences" | "common" {
  return errorForm === "sentences" ? "sentences" : "common";
}

/** Returns true if the answer has the outcomes of webhooks, which a read waits for. */
function showsOutcomes({ operationId }: Operation): boolean {
  return operationId === "listUndeliveredEvents";
}

/** Resolves when a world can answer a call. Undefined if it can answer now. */
function readyForCall(world: World, operation: Operation): Promise<void> | undefined {
  if (showsOutcomes(operation)) return waitForOutcomes(world);
  const ready = world.clock.ready();
  return ready === undefined && !isSlow(world) ? undefined : waitForCall(world, ready);
}

async function waitForOutcomes(world: World): Promise<void> {
  await world.deliveries.answeredForRead();
  await waitForCall(world, world.clock.ready());
}

async function waitForCall(world: World, ready: Promise<void> | undefined): Promise<void> {
  await ready;
  if (isSlow(world)) await pause(SLOW_MS);
}

function isSlow({ simulation }: World): boolean {
  return uses(simulation.reading, "freedoms.slow-answers");
}

/** Returns the request in the form for handlers, with the problems of its shape. */
function callOf({ served, named, world, token }: Admitted, body: ParsedBody): Call {
  const { operation } = served;
  const { operationId } = operation;
  const { head } = named.inbound;
  const params = pathParameters(named);
  const query =
    operation.query === undefined ? NO_QUERY : queryProblems(operationId, firstQuery(named.request));
  const idempotencyKey = operation.idempotencyKey === undefined ? null : (head.headers[KEY_HEADER] ?? "");
  const problems: Problem[] = [
    ...idempotencyKeyProblems(operation.idempotencyKey, idempotencyKey),
    ...pathProblems(operationId, params),
    ...query.problems,
    ...("problem" in body ? [body.problem] : bodyProblems(operationId, body.value)),
  ];
  return {
    companyId: token.companyId,
    params,
    query: query.value,
    body: "value" in body ? body.value : undefined,
    problems,
    idempotencyKey,
    sha256,
    origin: () => new URL(head.origin).origin,
    worldId: world.id,
  };
}

function sha256(text: string): string {
  return hash("sha256", text);
}

/** The command of a call, which is run once for each idempotency key. */
function commandOf({ operation, handler }: Served, call: Call, { fields, parameters, planned }: Extras) {
  const { operationId } = operation;
  return (tx: Transaction): IdempotentAnswer => {
    const isStrict = assumption(tx, "payloads.unknown-fields") === "strict";
    const unknown = isStrict
      ? [...fields.map(unknownFieldProblem), ...unusedParameterProblems(operationId, parameters)]
      : [];
    const checked = unknown.length === 0 ? call : { ...call, problems: [...call.problems, ...unknown] };
    if (planned === undefined) return runOnce(tx, { operationId, call: checked, handler });
    if (planned.problems.length > 0) throw invalidRequest([...planned.problems, ...checked.problems]);
    return runOnce(tx, { operationId, call: checked, handler: withCallPlans(handler, planned.plans) });
  };
}

/** Returns the path parameters. Each is a UUID, which is accepted in upper case and written in lower case. */
function pathParameters({ matched }: NamedRequest): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name in matched?.params) params[name] = matched.params[name]!.toLowerCase();
  return params;
}

function missingScope(): ReturnType<typeof forbidden> {
  return forbidden(`The token lacks the scope ${ORDER_SCOPE}. Request a token with this scope.`);
}

function unknownFieldProblem(field: string): Problem {
  return { field, issue: "NOT_ALLOWED", description: `The field "${field}" is not known. Leave it out.` };
}

/** Returns the value without null fields, at any depth (assumption: payloads.null-fields). */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(present.map(([name, field]) => [name, withoutNulls(field)]));
}

/**
 * Returns the journal entry that a read must not show yet. A command changed the object in the path and its event was
 * sent, but its change is not visible yet (fault: event-before-commit).
 */
function staleReadBefore(
  { records, now, journal }: Simulation,
  params: Readonly<Record<string, string>>,
): number | undefined {
  const hidden = hiddenEntriesAt(records, now);
  if (hidden.length === 0) return undefined;
  const named = Object.values(params).filter((value) => value !== "");
  return hidden.find((entry) =>
    journal.entry(entry)?.changes.some(({ id }) => named.some((value) => id.includes(value))),
  );
}
