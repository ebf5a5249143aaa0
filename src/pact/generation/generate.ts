import type { Exchange, SentMessage } from "./exchange.ts";
import type { Fetch } from "../../scenarios/world.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { httpInteraction } from "./http-interaction.ts";
import { ledToBy } from "../messages/event-states.ts";
import { kindOf } from "./event-description.ts";
import { recordCalls, recordMessages, UnrecordableScenario } from "./record.ts";
import { messageInteraction } from "./message-interaction.ts";
import { pactText } from "./pact-json.ts";
import { deliveryInteraction, strictInteractions } from "./receiver-interactions.ts";

const PROVIDER = "banking-service";

/** The consumer in pacts of deliveries: there the platform calls, and the partner's receiver provides. */
export const WEBHOOKS = `${PROVIDER}-webhooks`;

export interface GeneratedPact {
  readonly name: string;
  readonly provider: string;
  readonly text: string;
  readonly interactions: number;
}

export interface Generated {
  readonly pacts: readonly GeneratedPact[];
  /** Scenarios that could not be told, each with the reason. */
  readonly passedOver: readonly { readonly scenario: Scenario; readonly reason: string }[];
}

/**
 * Runs scenarios and tells them as pacts. Of calls that are alike, and of each kind of event, the first is kept:
 * a contract says what can happen, a scenario how.
 */
export async function generatePacts(
  scenarios: readonly Scenario[],
  { fetch, consumer }: { readonly fetch: Fetch; readonly consumer: string },
): Promise<Generated> {
  const exchanges = new Map<string, Exchange>();
  const messages = new Map<string, SentMessage>();
  const passed = new Map<Scenario, string>();
  const record = async (scenario: Scenario, work: () => Promise<void>): Promise<void> => {
    if (passed.has(scenario)) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof UnrecordableScenario)) throw error;
      passed.set(scenario, error.message);
    }
  };
  // A state that is there for an event tells it best, and a story tells its calls best.
  const [states, stories] = [scenarios.filter(isState), scenarios.filter((one) => !isState(one))];
  const leading = states.filter(({ state }) => ledToBy(state) !== undefined);
  for (const scenario of new Set([...leading, ...stories, ...states]))
    await record(scenario, async () => {
      for (const message of await recordMessages(scenario, fetch))
        keep(messages, kindOf(message.event, message.body), message);
    });
  for (const scenario of [...stories, ...states])
    await record(scenario, async () => {
      for (const exchange of await recordCalls(scenario, fetch))
        keep(exchanges, likenessOf(exchange), exchange);
    });
  const calls = described([...exchanges.values()]);
  const sent = [...messages.values()];
  const partner = [...calls, ...sent.map(messageInteraction)];
  const first = sent.find(({ event }) => event === "ORDER-PAYOUT.PAID") ?? sent[0];
  const receiver = [
    ...sent.map(deliveryInteraction),
    ...(first === undefined ? [] : strictInteractions(first)),
  ];
  return {
    pacts: [
      pact(consumer, PROVIDER, partner),
      ...(receiver.length === 0 ? [] : [pact(WEBHOOKS, `${consumer}-receiver`, receiver)]),
    ],
    passedOver: Array.from(passed, ([scenario, reason]) => ({ scenario, reason })),
  };
}

function pact(
  consumer: string,
  provider: string,
  interactions: Parameters<typeof pactText>[2],
): GeneratedPact {
  const text = pactText(consumer, provider, interactions);
  return { name: `${consumer}-${provider}.json`, provider, text, interactions: interactions.length };
}

function keep<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  if (!kept.has(key)) kept.set(key, value);
}

/** What makes two calls alike: operation, status, who asked with what fields, and what came back. */
function likenessOf({ operation, request, response, step }: Exchange): string {
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

/** Each interaction with a description of its own: what is asked, what comes of it, and in which scenario. */
function described(exchanges: readonly Exchange[]) {
  return exchanges.map((exchange) => {
    const { operation, response, scenario, step } = exchange;
    const what = operation.summary.toLowerCase();
    return httpInteraction(exchange, `${what}: ${response.status} (${scenario.name}, step ${step.number})`);
  });
}

function isState({ state }: Scenario): boolean {
  return state !== undefined;
}
