import type { Landing, StoredOrder } from "./flight.ts";
import type { AttemptOrder } from "../platform/webhook-events/attempts.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import { assertDefined } from "../engine/assertion.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";

/** An attempt whose outcome is not committed: a world that is loaded again makes it again, without opening it twice. */
export interface OpenedAttempt {
  readonly at: Instant;
  readonly order: StoredOrder;
  /** What it and those together with it came to, where that is known: then it is not made again. */
  readonly landings?: readonly Landing[];
}

export function storedOrder({ url: _url, body: _body, together, ...order }: AttemptOrder): StoredOrder {
  return { ...order, together: together.map(storedOrder) };
}

/** What is saved of the flights of one attempt, the first of which it is. */
export function openedAttempt({ at, flights: [first], landings }: Flown): OpenedAttempt {
  const order = storedOrder(assertDefined(first, "the flight of an attempt").order);
  return { at, order, ...(landings && { landings }) };
}

interface Flown {
  readonly at: Instant;
  readonly flights: readonly { readonly order: AttemptOrder }[];
  readonly landings: readonly Landing[] | undefined;
}

export function orderOf({ together, ...order }: StoredOrder, records: Simulation["records"]): AttemptOrder {
  const { deliveryId } = order;
  const { url, body } = assertDefined(records.get(deliveries, deliveryId), `the delivery ${deliveryId}`);
  return { ...order, url, body, together: together.map((one) => orderOf(one, records)) };
}
