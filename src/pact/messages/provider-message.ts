import type { Delivery } from "../../platform/webhook-events/delivery.ts";
import type { EventName } from "../../api/events.ts";
import type { Fetch } from "../../scenarios/world.ts";
import type { NamedState, ProviderStates } from "../states/provider-states.ts";
import type { WantedEvent } from "./event-states.ts";
import type { World } from "../../worlds/world.ts";
import { companyOf } from "../../platform/companies/company.ts";
import { deliveries } from "../../platform/webhook-events/delivery.ts";
import { didYouMean } from "../states/nearest.ts";
import { events } from "../../api/events.ts";
import { leadsTo, ledToBy } from "./event-states.ts";
import { ScriptedReceiver } from "../../scenarios/receiver.ts";
import { sendSomewhere } from "../states/standing-world.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../webhooks/signature.ts";
import { transportTo } from "../../webhooks/in-process.ts";

/** What a verifier asks for: the description of a message pact, and its states. */
export interface MessageRequest {
  readonly description: string;
  readonly providerStates: readonly NamedState[];
}

/** A webhook as a message pact knows it. */
export interface ProviderMessage {
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A message that the world does not send: a sentence that says what it did send. */
export class MessageRefusal extends Error {
  override readonly name = "MessageRefusal";
}

/** How far a world is moved on in search of an event: this many happenings, and no further. */
const STEPS_MAX = 60;

const eventNames = Object.keys(events) as EventName[];

/**
 * The webhook that a message pact describes. The description says which event; the world sends it out of its
 * states, or by itself as time goes on, or, for a pact without states, out of the state that leads to the event.
 */
export async function providerMessage(
  world: World,
  states: ProviderStates,
  { description, providerStates }: MessageRequest,
  fetch: Fetch,
): Promise<ProviderMessage> {
  const named = wantedEvent(description, providerStates);
  if (!states.isEntered(world)) {
    for (const state of providerStates) await states.enter(world, state, fetch);
  }
  const isNamed = providerStates.some(({ name }) => name !== "");
  const wanted = named ?? wantedOf(world, providerStates);
  if (!isNamed && find(world, wanted) === undefined)
    await states.enter(world, { name: leadingState(wanted), params: {} }, fetch);
  const delivery = find(world, wanted) ?? (await waitFor(world, wanted));
  states.finish(world);
  if (delivery === undefined) throw new MessageRefusal(notSent(world, wanted));
  return messageOf(world, delivery);
}

/** The event that a description names; undefined where it names none and its states have to say it. */
function wantedEvent(description: string, states: readonly NamedState[]): WantedEvent | undefined {
  const text = description.toUpperCase();
  const [event] = eventNames
    .filter((name) =>
      new RegExp(`(?<![A-Z_.-])${name.replaceAll(".", "[.]")}(?![A-Z_-]|\\.[A-Z])`).test(text),
    )
    .sort((left, right) => right.length - left.length);
  if (event !== undefined) {
    const [, rest = ""] = event === "ORDER-PAYIN.ERROR" ? text.split(event) : [];
    const [word] = rest.match(/REFUND|PAY-?IN/) ?? [];
    return { event, type: word === undefined ? undefined : word === "REFUND" ? "REFUND" : "PAY-IN" };
  }
  const [misspelt] = description.match(/[A-Z_]+(?:[.-][A-Z_]+)+/) ?? [];
  if (misspelt === undefined && states.some(({ name }) => name !== "")) return undefined;
  const [word = ""] = description.match(/[A-Za-z_]+(?:[.-][A-Za-z_]+)+/) ?? [description];
  const sentences = [
    `The description "${description}" names no event.`,
    didYouMean(word, eventNames),
    "Begin it with the event's name.",
  ];
  throw new MessageRefusal(sentences.filter((sentence) => sentence !== "").join(" "));
}

/** What the states of a message are there for, the last one first; or else what the world sent last. */
function wantedOf(world: World, states: readonly NamedState[]): WantedEvent {
  const led = states.map(({ name }) => ledToBy(name)).findLast((event) => event !== undefined);
  const last = Array.from(world.records.all(deliveries)).at(-1);
  const wanted = led ?? (last && { event: last.event as EventName, type: undefined });
  if (wanted !== undefined) return wanted;
  throw new MessageRefusal(
    "The description names no event, and its states lead to none. Begin it with the event's name.",
  );
}

function leadingState({ event, type }: WantedEvent): string {
  return leadsTo(type === undefined ? event : `${event} (${type})`) ?? "";
}

/** The last delivery of the event. */
function find(world: World, { event, type }: WantedEvent): Delivery | undefined {
  const matches = (delivery: Delivery): boolean =>
    delivery.event === event && (type === undefined || typeOf(delivery) === type);
  return Array.from(world.records.all(deliveries)).findLast(matches);
}

function typeOf({ body }: Delivery): unknown {
  const { type } = JSON.parse(body) as { readonly type?: unknown };
  return type;
}

/** Moves time on until the world sends the event by itself. */
async function waitFor(world: World, wanted: WantedEvent): Promise<Delivery | undefined> {
  const back = [world.overrideTransport(transportTo(new ScriptedReceiver())), sendSomewhere(world)];
  try {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const { fired } = await world.advance({ until: "next" });
      const delivery = find(world, wanted);
      if (delivery !== undefined || fired === 0) return delivery;
    }
    return undefined;
  } finally {
    for (const undo of back) undo();
  }
}

function notSent(world: World, wanted: WantedEvent): string {
  const sent = [...new Set(Array.from(world.records.all(deliveries), ({ event }) => event))];
  const told = sent.length === 0 ? "It sent none" : `It sent ${sent.join(", ")}`;
  return `The world sends no ${wanted.event} out of these states. ${told}. The state "${leadingState(wanted)}" leads to it.`;
}

function messageOf(world: World, { body, companyId }: Delivery): ProviderMessage {
  const { secret } = companyOf(world.records, companyId).webhook;
  const contentType = "application/json";
  return { body, metadata: { contentType, [SIGNATURE_HEADER]: signatureOf(secret, Buffer.from(body)) } };
}
