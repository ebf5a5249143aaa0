import type { AdvanceTarget } from "../../simulator/worlds/advance.ts";
import type { EffectName } from "../../simulator/platform/faults/effects.ts";
import type { WorldInput } from "../../simulator/worlds/inbound-request.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { type AccessToken, accessTokens } from "../../simulator/platform/companies/access-token.ts";
import { armFault, faults } from "../../simulator/platform/faults/fault.ts";
import { type AssumptionValues, assume } from "../../simulator/platform/assumptions/assumptions.ts";
import { companiesOf } from "../control/worlds.ts";
import { type Delivery, deliveries } from "../../simulator/platform/webhook-events/delivery.ts";
import { overrideWebhookUrl, webhookOverride } from "../../simulator/platform/world-settings.ts";
import { readFault } from "../../simulator/platform/faults/reading.ts";
import { amountShape } from "../../simulator/platform/shape.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { balances } from "../../simulator/platform/ledger/ledger.ts";
import { collections } from "../../simulator/platform/catalog.ts";
import type { LoggedRequest } from "../../simulator/api/generated/shapes.ts";
import { lastCalls, loggedRequests } from "../../simulator/worlds/request-log.ts";
import { removeFaults } from "../../simulator/platform/webhook-events/attempts.ts";
import { transportTo } from "../../simulator/webhooks/in-process.ts";
import { withQrImages } from "../../simulator/qr-images/qr-images.ts";
import { isControlPath } from "../../simulator/api/routes.ts";

export type { AdvanceTarget } from "../../simulator/worlds/advance.ts";

/** A webhook with the body that its receiver gets. */
export type PlayedDelivery = Omit<Delivery, "body"> & { readonly body: string };

/** The default address of webhooks in tools. Without a URL, webhooks would not be sent. */
export const RECEIVER_URL = "http://receiver.example/webhooks";

/** The longest time that the clock waits for a process that starts again. */
const START_MAX_MS = 3_600_000;

/** A call of the platform API. */
interface PlayedCallHead {
  /** The x-request-id of the call. */
  readonly id: string;
  /** The effects of the faults that changed it. */
  readonly injected: readonly string[];
}

interface PlayedFault {
  readonly on: "webhook" | "api";
  readonly event?: string;
  readonly operation?: string;
  readonly effect: EffectName;
}

/**
 * A world of this process for a tool that plays a scenario. The steps are requests, and these methods do the work
 * around them. Some of this work has no request. Requests for the rest would make an explored schedule a third slower.
 */
export class PlayedWorld {
  readonly #world: World;
  readonly #removedHits = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The time of its clock, in milliseconds since 1970. */
  get now(): number {
    return this.#world.now;
  }

  /** True if it was made to start at a given time, and not at the current time. */
  get hasGivenStart(): boolean {
    return this.#world.hasGivenStart;
  }

  /** Every company with its credentials. */
  get companies(): ReturnType<typeof companiesOf> {
    return companiesOf(this.#world);
  }

  /** Waits until no webhook is in flight. */
  settled(): Promise<void> {
    return this.#world.settled();
  }

  /** Advances the clock like `POST /sandbox/clock/advance`. */
  advance(target: AdvanceTarget, signal?: AbortSignal) {
    return this.#world.advance(target, undefined, { signal });
  }

  /** True if a process follows its clock. */
  get isFollowed(): boolean {
    return this.#world.followers.size > 0;
  }

  /**
   * Stops time, because the processes that follow its clock were killed and start again. Time waits until the returned
   * function is called.
   */
  awaitFollower(): () => void {
    const { followers } = this.#world;
    const gone = followers.list();
    if (gone.length === 0) return () => undefined;
    const starting = followers.register("starts again", {
      turnTimeoutMs: START_MAX_MS,
      leaseMs: START_MAX_MS,
    });
    followers.update(starting, { isBusy: true });
    for (const follower of gone) followers.remove(follower);
    return () => followers.remove(starting);
  }

  /**
   * Resets the world like `POST /sandbox/reset`. With an instant only the fixtures are reset, on a clock that is frozen
   * at it.
   */
  reset({ seed, frozenAt }: { readonly seed?: number; readonly frozenAt?: number | undefined } = {}): void {
    this.#removedHits.clear();
    this.#world.reset(frozenAt, seed);
  }

  /** Resets like `reset`, but issued tokens stay valid, because a client may continue to use its token. */
  resetForClients(seed: number): void {
    const issued = Array.from(this.#world.records.all(accessTokens));
    this.reset({ seed });
    const isGone = ({ id }: AccessToken): boolean => this.#world.records.get(accessTokens, id) === undefined;
    const missing = issued.filter(isGone);
    if (missing.length === 0) return;
    this.#world.execute({ by: "control", name: "tokens" }, (tx) => {
      for (const { isDead: _isDead, ...token } of missing) tx.put(accessTokens, token);
    });
  }

  /** Arms a valid fault like `POST /sandbox/faults`. */
  fault(fault: PlayedFault): void {
    const { event = "", operation = "" } = fault;
    const plan = readFault({ ...fault }, { events: [event], operations: [operation] });
    this.#world.execute({ by: "control", name: "fault" }, (tx) => armFault(tx, plan));
  }

  /** Returns the number of times that each fault took effect, by its id. Removed faults are included. */
  faultHits(): Map<string, number> {
    const hits = new Map(this.#removedHits);
    for (const { id, hits: count } of this.#world.records.all(faults)) hits.set(id, count);
    return hits;
  }

  /** Removes all faults like `DELETE /sandbox/faults`, or the fault with this id. */
  removeFaults(id?: string): void {
    for (const { id: own, hits } of this.#world.records.all(faults))
      if ((id ?? own) === own) this.#removedHits.set(own, hits);
    this.#world.execute({ by: "control", name: "faults dropped" }, (tx) =>
      removeFaults(
        tx,
        Array.from(tx.all(faults)).filter((fault) => (id ?? fault.id) === fault.id),
      ),
    );
  }

  /** Sets these assumptions for a provider state, in addition to the assumptions of the settings. */
  assume(values: AssumptionValues): void {
    const all = { ...this.#world.settings.assumptions, ...values };
    this.#world.execute(PROVIDER_STATE, (tx) => assume(tx, all));
  }

  /**
   * Sends every webhook to a receiver of this process until the returned function is called. Until then, events
   * without a URL get one: by a change of the settings, or for a provider state.
   */
  divert(receiver: Parameters<typeof transportTo>[0], as: "settings" | "provider state"): () => void {
    const world = this.#world;
    const setUrl = (webhookUrl: string | null): void => {
      if (as === "settings") world.changeSettings({ webhookUrl });
      else world.execute(PROVIDER_STATE, (tx) => overrideWebhookUrl(tx, webhookUrl));
    };
    const restore = world.overrideTransport(transportTo(receiver));
    const isMissing = webhookOverride(world.records) === null;
    if (isMissing) setUrl(RECEIVER_URL);
    return () => {
      if (isMissing) setUrl(null);
      restore();
    };
  }

  /** Returns the deliveries like `GET /sandbox/deliveries`, as the records have them. */
  async deliveries(): Promise<PlayedDelivery[]> {
    await this.#world.deliveries.answeredForRead();
    return drawn(this.#world.shown().records.all(deliveries));
  }

  /** Returns the objects like `GET /sandbox/resources/{collection}`, without drawn images of QR codes. */
  objects(collection: string): object[] {
    const { records } = this.#world;
    const objects = assertDefined(collections.get(collection), collection);
    return Array.from(objects.newestFirst(records), (record) => objects.view(record, records)).reverse();
  }

  /** Returns the `accounts` of `GET /sandbox/ledger`. */
  balances(): { readonly account: string; readonly currency: string; readonly value: string }[] {
    return Array.from(this.#world.records.all(balances), ({ account, amount }) => ({
      account,
      ...amountShape(amount),
    }));
  }

  /** Returns the calls so far without their texts. Masking the texts costs more than a call. */
  calls(): PlayedCallHead[] {
    return lastCalls(this.#world).map(({ id, input }) => ({ id, injected: input.injected ?? [] }));
  }

  /** Returns the calls of `GET /sandbox/requests`. */
  requests(): LoggedRequest[] {
    return loggedRequests(this.#world).map(({ responseBody, ...one }) => ({
      ...one,
      responseBody: responseBody === null ? null : withQrImages(responseBody),
    }));
  }

  /** Returns the webhooks so far, while one of them is sent. */
  announced(): PlayedDelivery[] {
    return drawn(this.#world.records.all(deliveries));
  }

  /**
   * Starts to watch the world. The returned function returns true if there was a call, an act or a reset since then.
   */
  watchUse(): () => boolean {
    const { journal } = this.#world;
    const [next, notes] = [journal.nextNumber, journal.noteCount];
    return () => {
      const { journal: present } = this.#world;
      return (
        present.since(next).some(({ cause }) => cause.by === "call" || cause.by === "act") ||
        present.nextNumber < next ||
        present.notesAfter(notes).some(({ cause: { input } }) => isCall(input as WorldInput | undefined))
      );
    };
  }
}

function drawn(all: Iterable<Delivery>): PlayedDelivery[] {
  return Array.from(all, (delivery) => ({ ...delivery, body: withQrImages(delivery.body) }));
}

const PROVIDER_STATE = { by: "control", name: "provider state" } as const;

/**
 * Returns true for a request to the platform's API, and not to the sandbox's own API. A call without an effect is a
 * note.
 */
function isCall(input: WorldInput | undefined): boolean {
  return input?.kind === "request" && !isControlPath(input.path);
}
