import type { EndedAttempt, StoredOrder } from "./pending-attempt.ts";
import type { AttemptOrder } from "../platform/webhook-events/attempts.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import { assertDefined } from "../engine/assertion.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";

/** An attempt whose outcome is not committed: a world that is loaded again makes it again, without opening it twice. */
export interface OpenedAttempt {
  readonly at: Instant;
  readonly order: StoredOrder;
  /** The results of it and of those that are sent together with it; absent if they are not known: then it is made again. */
  readonly endedAttempts?: readonly EndedAttempt[];
}

export function storedOrder({ url: _url, body: _body, together, ...order }: AttemptOrder): StoredOrder {
  return { ...order, together: together.map(storedOrder) };
}

/** What is saved of an attempt and those that are sent together with it. */
export function openedAttempt({ at, attempts: [first], endedAttempts }: SentTogether): OpenedAttempt {
  const order = storedOrder(assertDefined(first, "the attempt").order);
  return { at, order, ...(endedAttempts && { endedAttempts }) };
}

interface SentTogether {
  readonly at: Instant;
  readonly attempts: readonly { readonly order: AttemptOrder }[];
  readonly endedAttempts: readonly EndedAttempt[] | undefined;
}

export function orderOf({ together, ...order }: StoredOrder, records: Simulation["records"]): AttemptOrder {
  const { deliveryId } = order;
  const { url, body } = assertDefined(records.get(deliveries, deliveryId), `the delivery ${deliveryId}`);
  return { ...order, url, body, together: together.map((one) => orderOf(one, records)) };
}
