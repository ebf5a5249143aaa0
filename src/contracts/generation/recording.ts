import { operationNamed } from "../../scenarios/vocabulary.ts";
import { type CallStep, type Scenario, titleOf } from "../../scenarios/scenario.ts";
import type { Fetch } from "../../base/proxy.ts";
import { type PlayedWorld, RECEIVER_URL } from "../../server/access/played-world.ts";
import { startOf } from "../states/provider-states.ts";
import { BEFORE_STEP, openExistingWorld, scenarioBefore } from "../states/state-scenario.ts";
import { CommandFailure } from "../../base/failures.ts";
import { defined, isRecord } from "../../simulator/engine/json.ts";
import { type EventKind, eventKind, eventKinds } from "../../simulator/api/events.ts";
import { type Operation, operationAt } from "../../simulator/api/operations.ts";
import { type ProviderMessage, messageOf } from "../provider-message.ts";
import { ScriptedReceiver } from "../../scenarios/receiver.ts";
import { Session } from "../../scenarios/session.ts";
import { take } from "../../scenarios/take.ts";
import { isControlPath } from "../../simulator/api/routes.ts";

/** One call of a scenario, as it was sent and answered. */
export interface RecordedCall {
  readonly scenario: Scenario;
  readonly step: CallStep;
  readonly operation: Operation;
  readonly request: {
    readonly method: string;
    /** The path with its query. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  };
  readonly response: { readonly status: number; readonly body: unknown };
}

/** A webhook that a scenario caused. */
export interface SentMessage extends ProviderMessage {
  readonly scenario: Scenario;
  readonly kind: EventKind;
}

/**
 * Runs a scenario in the same way as a provider state is entered, and records it. So a verifier meets the same
 * calls again. Throws a `CommandFailure` if a step fails.
 */
export async function recordRun(
  scenario: Scenario,
  world: PlayedWorld,
  fetch: Fetch,
): Promise<{
  readonly calls: readonly RecordedCall[];
  /** The last webhook of each kind. */
  readonly messages: readonly SentMessage[];
}> {
  const made: Pick<RecordedCall, "request" | "response">[] = [];
  const recording: Fetch = async (path, init) => {
    const response = await fetch(path, init);
    if (!isControlPath(path)) made.push(await recorded(path, init, response.clone()));
    return response;
  };
  world.reset({ frozenAt: startOf(scenario, world) });
  const { seed = 0, start, assumptions } = scenario;
  const openWorld = openExistingWorld(world, recording, {});
  await using opened = await openWorld({
    receiver: new ScriptedReceiver(),
    ...defined({ start, assumptions }),
  });
  const session = new Session(scenario, { world: opened, seed });
  const calls: RecordedCall[] = [];
  for (const step of scenarioBefore(scenario, scenario.steps.length + 1).steps) {
    await take(step, session).catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
      const at = `step ${step.number} (${titleOf(step)}) of ${scenario.file}`;
      const { name } = stateAfter(scenario);
      throw new CommandFailure(`The state "${name}" was not reached: ${at} failed. ${error.message}`);
    });
    // A call may be repeated. The step describes the first try.
    const [first] = made.splice(0);
    if (step.verb !== "call" || typeof step.body === "string") continue;
    const operation = operationOf(step);
    // A pact cannot express a connection that the sandbox drops on purpose.
    if (operation !== undefined && first !== undefined) calls.push({ scenario, step, operation, ...first });
  }
  return { calls, messages: await messagesOf(scenario, world) };
}

async function recorded(
  url: string,
  { method = "GET", headers, body }: RequestInit = {},
  response: Response,
): Promise<Pick<RecordedCall, "request" | "response">> {
  const text = await response.text();
  return {
    request: {
      method,
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === "string" ? body : undefined,
    },
    response: { status: response.status, body: text === "" ? undefined : withoutReceiver(JSON.parse(text)) },
  };
}

/**
 * Removes the URL of the built-in receiver from the webhook URL of a company. The company has that URL only while this
 * runs.
 */
function withoutReceiver(body: unknown): unknown {
  return isRecord(body) && body["url"] === RECEIVER_URL ? { ...body, url: null } : body;
}

async function messagesOf(scenario: Scenario, world: PlayedWorld): Promise<SentMessage[]> {
  const last = new Map<EventKind, SentMessage>();
  for (const delivery of await world.deliveries()) {
    const kind = eventKind(delivery.event, delivery.body);
    if (kind !== undefined) last.set(kind, { scenario, kind, ...messageOf(world, delivery) });
  }
  // A state that leads to an event is recorded for that event, and not for those before it.
  const isLeading = eventKinds.some(({ state }) => state === scenario.state);
  return [...last.values()].filter(({ kind }) => !isLeading || kind.state === scenario.state);
}

/** Returns a scenario as a provider state: the world before one of its steps. */
export function stateBefore({ name }: Scenario, step: number) {
  return { name, params: { [BEFORE_STEP]: step } };
}

/** Returns the state after a scenario. If the scenario is a state, this is its own name. */
export function stateAfter(scenario: Scenario) {
  if (scenario.state !== undefined) return { name: scenario.state, params: {} };
  return stateBefore(scenario, scenario.steps.length + 1);
}

/** Returns the operation of the platform API that a step calls. */
function operationOf({ call }: CallStep): Operation | undefined {
  const [method = "", path = ""] = call.split(" ");
  return operationNamed(call) ?? operationAt({ method, path });
}
