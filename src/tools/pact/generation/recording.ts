import { operationNamed } from "../../scenarios/vocabulary.ts";
import type { ControlClient } from "../../../control/client.js";
import type { CallStep, Scenario, ScenarioStep } from "../../scenarios/scenario.ts";
import type { Fetch } from "../../scenarios/world.ts";
import type { LoggedRequest } from "../../../api/generated/shapes.ts";
import type { NamedState } from "../states/provider-states.ts";
import { BEFORE_STEP, expressionsIn } from "../states/state-scenario.ts";
import { eventKind, eventKinds } from "../../../api/events.ts";
import { type Operation, operationAt } from "../../../api/operations.ts";
import { parsed } from "../../../engine/json.ts";
import { runScenario } from "../../scenarios/run.ts";

/** One call of a scenario, as it was sent and answered. */
export interface Exchange {
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
  /** What the state before the step returned, by name. */
  readonly returned: Readonly<Record<string, unknown>>;
}

/** What makes calls similar: see `similarityKey`. */
export type ComparedCall = Pick<Exchange, "step" | "operation" | "response"> & {
  readonly request: Pick<Exchange["request"], "body">;
};

/** A whole run of a scenario. */
export interface RecordedRun {
  /** The last webhook of each kind that it caused, without the kinds that are known. */
  readonly messages: readonly SentMessage[];
  /** What is known of its calls, by the number of the step. */
  readonly calls: ReadonlyMap<number, ComparedCall>;
}

/** A webhook that a scenario caused. */
export interface SentMessage {
  readonly scenario: Scenario;
  readonly event: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What scenarios are recorded with. */
export interface RecordingOptions {
  readonly client: ControlClient;
  /** The access token of each company of the fixtures, by the company's name. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Enters a scenario as a provider state before each of its calls, makes the call, and records request and answer,
 * in the same way as a verifier does it later. Leaves out the calls of the run that are known already. Rejects
 * with a `ControlFailure` where a step is not reached.
 */
export async function recordCalls(
  scenario: Scenario,
  options: RecordingOptions,
  { calls, isKnown }: Pick<RecordedRun, "calls"> & { readonly isKnown: (call: ComparedCall) => boolean },
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const [step, operation] of callsIn(scenario)) {
    const made = calls.get(step.number);
    if (typeof step.body === "string" || (made !== undefined && isKnown(made))) continue;
    const returned = await enter(stateBefore(scenario, step.number), options.client);
    const exchange = await call({ scenario, step, operation, returned }, options);
    // A pact cannot express a connection that the sandbox drops on purpose.
    if (exchange !== undefined) exchanges.push(exchange);
  }
  return exchanges;
}

/** Runs a whole scenario. Rejects with a `ControlFailure` where a step fails. */
export async function recordRun(
  scenario: Scenario,
  { client }: RecordingOptions,
  known: ReadonlySet<string>,
): Promise<RecordedRun> {
  await enter(stateAfter(scenario), client);
  const { data: sent } = await client.ask("GET /sandbox/deliveries");
  const calls = callsOf(scenario, (await client.ask("GET /sandbox/requests")).data);
  const kinds = new Map(
    sent.flatMap(({ event, body }) => {
      const kind = eventKind(event, body);
      return kind === undefined ? [] : [[kind.name, kind] as const];
    }),
  );
  const messages: SentMessage[] = [];
  for (const [name, { event, state }] of kinds) {
    if (known.has(name)) continue;
    // A state that leads to an event is recorded for that event, and not for those before it.
    if (state !== scenario.state && eventKinds.some((kind) => kind.state === scenario.state)) continue;
    messages.push(await message(scenario, { kind: name, event }, client));
  }
  return { messages, calls };
}

/** The calls of a run by the log of its requests; empty where the log does not show one request for each call. */
function callsOf(scenario: Scenario, requests: readonly LoggedRequest[]): RecordedRun["calls"] {
  const steps = callsIn(scenario);
  const isComplete =
    steps.length === requests.length &&
    steps.every(([, { operationId }], index) => requests[index]?.operationId === operationId);
  if (!isComplete) return new Map();
  return new Map(
    steps.flatMap(([step, operation], index) => {
      const { status = null, requestBody = null, responseBody = null } = requests[index] ?? {};
      const [sent, body] = [requestBody, responseBody].map((text) => (text === null ? null : parsed(text)));
      // The log cuts a long body off, so that it is JSON no longer.
      if (status === null || typeof sent !== "object" || typeof body !== "object") return [];
      const request = { body: requestBody ?? undefined };
      return [[step.number, { step, operation, request, response: { status, body } }] as const];
    }),
  );
}

async function message(
  scenario: Scenario,
  { kind, event }: { readonly kind: string; readonly event: string },
  client: ControlClient,
): Promise<SentMessage> {
  const { name, params } = stateAfter(scenario);
  const asked = { description: kind, providerStates: [{ name, params }] };
  const response = await client.open("POST /sandbox/pact/messages", asked);
  const body = await response.text();
  const metadata = Buffer.from(response.headers.get("pact-message-metadata") ?? "", "base64").toString(
    "utf8",
  );
  return { scenario, event, body, metadata: JSON.parse(metadata) as Record<string, string> };
}

/** A scenario as a provider state: the world before one of its steps. */
export function stateBefore({ name }: Scenario, step: number): NamedState {
  return { name, params: { [BEFORE_STEP]: step } };
}

/** The state after a scenario: its own name where it is a state. */
export function stateAfter(scenario: Scenario): NamedState {
  if (scenario.state !== undefined) return { name: scenario.state, params: {} };
  return stateBefore(scenario, scenario.steps.length + 1);
}

async function enter(
  { name: state, params }: NamedState,
  client: ControlClient,
): Promise<Exchange["returned"]> {
  await client.ask("POST /sandbox/pact/states", { action: "teardown", state });
  return client.ask("POST /sandbox/pact/states", { action: "setup", state, params });
}

/** The scenario's own runner makes the call, so that it is the request of the scenario. */
async function call(
  at: Pick<Exchange, "scenario" | "step" | "operation" | "returned">,
  { client, tokens }: RecordingOptions,
): Promise<Exchange | undefined> {
  let recorded: Pick<Exchange, "request" | "response"> | undefined;
  const recording: Fetch = async (path, init) => {
    const response = await client.send(path, init);
    if (recorded !== undefined || path.startsWith("/sandbox/")) return response;
    const text = await response.clone().text();
    recorded = {
      request: {
        method: init?.method ?? "GET",
        url: path,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: typeof init?.body === "string" ? init.body : undefined,
      },
      response: { status: response.status, body: text === "" ? undefined : JSON.parse(text) },
    };
    return response;
  };
  const step = filled(at.step, at.returned);
  await runScenario(
    { ...at.scenario, steps: [step] },
    {
      openWorld: async ({ receiver }) => ({
        fetch: recording,
        tokens,
        receiver,
        [Symbol.asyncDispose]: async () => {},
      }),
      seed: at.scenario.seed ?? 0,
    },
  );
  return recorded && { ...at, ...recorded };
}

/** The step alone; its expressions are replaced by the values that the state returned. */
function filled(
  { expect: _expect, save: _save, ...step }: CallStep,
  returned: Exchange["returned"],
): CallStep {
  const values = new Map(
    Array.from(expressionsIn(step as ScenarioStep), ([name, expression]) => [expression, returned[name]]),
  );
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
    if (typeof value !== "string") return value;
    const [, alone] = /^\$\{([^}]+)\}$/.exec(value) ?? [];
    if (alone !== undefined) return values.get(alone.trim());
    return value.replaceAll(/\$\{([^}]+)\}/g, (_, expression: string) =>
      String(values.get(expression.trim())),
    );
  };
  return fill(step) as CallStep;
}

/** The calls of the interface in a scenario. */
function callsIn({ steps }: Scenario): readonly (readonly [CallStep, Operation])[] {
  return steps.flatMap((step) => {
    const operation = step.verb === "call" ? operationOf(step) : undefined;
    return operation === undefined ? [] : [[step as CallStep, operation] as const];
  });
}

function operationOf(step: CallStep): Operation | undefined {
  const [method = "", path = ""] = step.call.split(" ");
  return operationNamed(step.call) ?? operationAt({ method, path });
}
