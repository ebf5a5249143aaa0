import type { EventName } from "../simulator/api/vocabulary.ts";
import type { AskedState, ProviderStates } from "./states/provider-states.ts";
import { type World, refuse } from "../server/control/endpoint.ts";
import { type PlayedDelivery, PlayedWorld } from "../server/access/played-world.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { assertDefined } from "../simulator/engine/assertion.ts";
import { parsed, textAt } from "../simulator/engine/json.ts";
import { type EventKind, eventKinds, events } from "../simulator/api/events.ts";
import { ScriptedReceiver } from "../scenarios/receiver.ts";
import type { Fetch } from "../base/proxy.ts";
import { SIGNATURE_HEADER, signatureOf } from "../simulator/api/signature.ts";

/** A webhook as a message of a pact. */
export interface ProviderMessage {
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An event. It has a type if the pact says which of two bodies with that name it means. */
type ExpectedEvent = Pick<EventKind, "event" | "type">;

/** At most this many timers fire in search of an event. */
const STEPS_MAX = 60;

const eventNames = Object.keys(events) as EventName[];

/**
 * Returns the webhook that a message pact describes. The description names the event. The world has sent the event in
 * its states, or sends it as time passes. For a pact without states, the event comes from the state that leads to it.
 */
export async function providerMessage(
  world: World,
  states: ProviderStates,
  {
    description,
    providerStates,
  }: {
    readonly description: string;
    readonly providerStates: readonly AskedState[];
  },
  fetch: Fetch,
): Promise<ProviderMessage> {
  const named = namedEvent(description, providerStates);
  const played = new PlayedWorld(world);
  if (!states.isEntered(world)) {
    for (const state of providerStates) await states.enter(world, state, fetch);
  }
  const isNamed = providerStates.some(({ name }) => name !== "");
  const expected = named ?? eventOfStates(await played.deliveries(), providerStates);
  if (!isNamed && (await find(played, expected)) === undefined)
    await states.enter(world, { name: leadingState(expected), params: {} }, fetch);
  const delivery = (await find(played, expected)) ?? (await waitFor(played, expected));
  states.finish(world);
  if (delivery === undefined) refuseMessage(notSent(await played.deliveries(), expected));
  return messageOf(played, delivery);
}

/** Refuses a message that the world does not send. The sentence names the sent messages. */
function refuseMessage(sentence: string): never {
  return refuse("description", sentence, "UNKNOWN");
}

/** Returns the event that a description names. Undefined if it names no event, and its states decide. */
export function namedEvent(description: string, states: readonly AskedState[]): ExpectedEvent | undefined {
  const text = description.toUpperCase();
  const [event] = eventNames
    .filter((name) =>
      new RegExp(`(?<![A-Z_.-])${name.replaceAll(".", "[.]")}(?![A-Z_-]|\\.[A-Z])`).test(text),
    )
    .sort((left, right) => right.length - left.length);
  if (event !== undefined) {
    const [, rest = ""] = text.split(event);
    const types = eventKinds.flatMap((kind) => (kind.event === event ? (kind.type ?? []) : []));
    const places = types.map((type) => ({ type, at: rest.search(type.replaceAll("-", "-?")) }));
    const [first] = places.filter(({ at }) => at >= 0).toSorted((one, other) => one.at - other.at);
    return { event, type: first?.type };
  }
  const [misspelt] = description.match(/(?<![A-Z_])[A-Z_]+(?:[.-][A-Z_]+)+/) ?? [];
  if (misspelt === undefined && states.some(({ name }) => name !== "")) return undefined;
  const [word = ""] = description.match(/(?<![A-Za-z_])[A-Za-z_]+(?:[.-][A-Za-z_]+)+/) ?? [description];
  const sentences = [
    `The description "${description}" names no event.`,
    suggestion(word, eventNames, { quote: '"', countMax: 3 }),
    "Begin it with the event's name.",
  ];
  refuseMessage(sentences.filter((sentence) => sentence !== "").join(" "));
}

/** Returns the event that the states of a message lead to, the last state first; otherwise the last event sent. */
function eventOfStates(sent: readonly PlayedDelivery[], states: readonly AskedState[]): ExpectedEvent {
  const ofState = states
    .map(({ name }) => eventKinds.find(({ state }) => state === name))
    .findLast((kind) => kind !== undefined);
  const last = sent.at(-1);
  const expected = ofState ?? (last && { event: last.event as EventName, type: undefined });
  if (expected !== undefined) return expected;
  refuseMessage(
    "The description names no event, and its states do not lead to an event. Begin the description with the event's name.",
  );
}

function leadingState({ event, type }: ExpectedEvent): string {
  const kind = eventKinds.find((one) => one.event === event && (type === undefined || one.type === type));
  return assertDefined(kind, `the kind of ${event}`).state;
}

/** Returns the last delivery of the event. */
async function find(world: PlayedWorld, { event, type }: ExpectedEvent): Promise<PlayedDelivery | undefined> {
  return (await world.deliveries()).findLast(
    (delivery) =>
      delivery.event === event && (type === undefined || textAt(parsed(delivery.body), "type") === type),
  );
}

/** Advances the clock until the world sends the event. */
async function waitFor(world: PlayedWorld, expected: ExpectedEvent): Promise<PlayedDelivery | undefined> {
  const restore = world.divert(new ScriptedReceiver(), "provider state");
  try {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const { fired } = await world.advance({ until: "next" });
      const delivery = await find(world, expected);
      if (delivery !== undefined || fired === 0) return delivery;
    }
    return undefined;
  } finally {
    restore();
  }
}

function notSent(deliveries: readonly PlayedDelivery[], expected: ExpectedEvent): string {
  const sent = [...new Set(deliveries.map(({ event }) => event))];
  const found = sent.length === 0 ? "It sent none" : `It sent ${sent.join(", ")}`;
  return `The world sends no ${expected.event} in these states. ${found}. The state "${leadingState(expected)}" leads to it.`;
}

/** Returns a webhook as a message. */
export function messageOf({ companies }: PlayedWorld, { body, companyId }: PlayedDelivery): ProviderMessage {
  const company = assertDefined(
    companies.find(({ id }) => id === companyId),
    `the company ${companyId}`,
  );
  const signature = signatureOf(company.webhookSecret, Buffer.from(body));
  const type = "application/json";
  // Libraries of Pact write this key in three ways, and each finds only its own.
  const types = { contentType: type, "content-type": type, "Content-Type": type };
  return { body, metadata: { ...types, [SIGNATURE_HEADER]: signature } };
}
