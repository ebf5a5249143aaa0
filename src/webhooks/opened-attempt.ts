import type { AttemptOrder } from "../platform/webhook-events/attempts.ts";
import type { Instant } from "../engine/instant.ts";
import type { Simulation } from "../engine/simulation.ts";
import { assertDefined } from "../engine/assertion.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";

/** An attempt that was opened, without what the record of its delivery contains. */
export interface StoredOrder extends Omit<AttemptOrder, "url" | "body" | "together"> {
  readonly together: readonly StoredOrder[];
}

/** An attempt whose outcome is not committed: a world that is loaded again makes it again, without opening it twice. */
export interface OpenedAttempt {
  readonly at: Instant;
  readonly order: StoredOrder;
}

export function storedOrder({ url: _url, body: _body, together, ...order }: AttemptOrder): StoredOrder {
  return { ...order, together: together.map(storedOrder) };
}

export function orderOf({ together, ...order }: StoredOrder, records: Simulation["records"]): AttemptOrder {
  const { deliveryId } = order;
  const { url, body } = assertDefined(records.get(deliveries, deliveryId), `the delivery ${deliveryId}`);
  return { ...order, url, body, together: together.map((one) => orderOf(one, records)) };
}
