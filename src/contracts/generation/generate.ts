import { CommandFailure } from "../../base/failures.ts";
import type { Fetch } from "../../base/proxy.ts";
import type { PlayedWorld } from "../../server/access/played-world.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { deliveryInteraction, messageInteraction, strictInteractions } from "./event-interactions.ts";
import { eventKinds } from "../../simulator/api/events.ts";
import { httpInteraction } from "./http-interaction.ts";
import { type Interaction, pactText } from "./pact-json.ts";
import { type RecordedCall, type SentMessage, recordRun } from "./recording.ts";

const PROVIDER = "banking-service";

/** The consumer in pacts of deliveries: there the platform calls, and the partner's receiver provides. */
export const WEBHOOKS = `${PROVIDER}-webhooks`;

export interface Generated {
  readonly pacts: readonly {
    readonly name: string;
    readonly provider: string;
    readonly text: string;
    readonly interactions: number;
  }[];
  /** Scenarios that cannot become a pact, each with the reason. */
  readonly skipped: readonly { readonly scenario: Scenario; readonly reason: string }[];
}

/**
 * Runs scenarios and writes them as pacts. Of similar calls, and of each kind of event, only the first is used: a
 * contract describes the possible messages, a scenario their order.
 */
export async function generatePacts(
  scenarios: readonly Scenario[],
  {
    world,
    fetch,
    consumer,
    progress,
  }: {
    /** The world of a sandbox on the shipped fixtures, and how requests reach it. */
    readonly world: PlayedWorld;
    readonly fetch: Fetch;
    readonly consumer: string;
    /** Called with the part of the work that is done. */
    readonly progress?: (part: number) => void;
  },
): Promise<Generated> {
  // The best example of an event is the state that leads to it; the best example of a call is in a scenario.
  const [states, others] = [scenarios.filter(isState), scenarios.filter((one) => !isState(one))];
  const leading = states.filter(({ state }) => eventKinds.some((kind) => kind.state === state));
  const runs = new Map<Scenario, Awaited<ReturnType<typeof recordRun>>>();
  const skipped = new Map<Scenario, string>();
  const messages = new Map<string, SentMessage>();
  for (const [index, scenario] of [...new Set([...leading, ...others, ...states])].entries()) {
    progress?.(index / scenarios.length);
    try {
      const run = await recordRun(scenario, world, fetch);
      runs.set(scenario, run);
      for (const message of run.messages)
        if (!messages.has(message.kind.name)) messages.set(message.kind.name, message);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      skipped.set(scenario, error.message);
    }
  }
  const calls = new Map<string, RecordedCall>();
  for (const call of [...others, ...states].flatMap((scenario) => runs.get(scenario)?.calls ?? [])) {
    const key = similarityKey(call);
    if (!calls.has(key)) calls.set(key, call);
  }
  const recordedCalls = Array.from(calls.values(), (call) => httpInteraction(call, descriptionOf(call)));
  const sent = [...messages.values()];
  const partner = [...recordedCalls, ...sent.map(messageInteraction)];
  const first = sent.find(({ kind }) => kind.event === "ORDER-PAYOUT.PAID") ?? sent[0];
  const receiver = [
    ...sent.map(deliveryInteraction),
    ...(first === undefined ? [] : strictInteractions(first)),
  ];
  return {
    pacts: [
      pact(consumer, PROVIDER, partner),
      ...(receiver.length === 0 ? [] : [pact(WEBHOOKS, `${consumer}-receiver`, receiver)]),
    ],
    skipped: Array.from(skipped, ([scenario, reason]) => ({ scenario, reason })),
  };
}

function pact(
  consumer: string,
  provider: string,
  interactions: readonly Interaction[],
): Generated["pacts"][number] {
  const text = pactText(consumer, provider, interactions);
  return { name: `${consumer}-${provider}.json`, provider, text, interactions: interactions.length };
}

/** Calls with the same key are similar: operation, status, caller, fields of the request and of the answer. */
function similarityKey({ operation, request, response, step }: RecordedCall): string {
  const { status, body } = response;
  const answer = (Array.isArray(body) ? {} : (body ?? {})) as Readonly<Record<string, unknown>>;
  const details = (answer["details"] ?? []) as readonly { readonly field: string; readonly issue: string }[];
  return JSON.stringify([
    operation.operationId,
    status,
    answer["status"] ?? answer["error"] ?? null,
    Object.entries(answer)
      .filter(([, value]) => value !== null)
      .map(([key]) => key)
      .sort(),
    details.map(({ field, issue }) => [field, issue]),
    step.as === null,
    status < 400
      ? Object.keys((request.body?.startsWith("{") ? JSON.parse(request.body) : {}) as object).sort()
      : [],
  ]);
}

/** Describes the called operation, its result, and the step of the scenario. The step makes the description unique. */
function descriptionOf({ operation, response, scenario, step }: RecordedCall): string {
  const what = operation.summary.toLowerCase();
  return `${what}: ${response.status} (${scenario.name}, step ${step.number})`;
}

function isState({ state }: Scenario): boolean {
  return state !== undefined;
}
