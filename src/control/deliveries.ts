import type { ControlRequest } from "./control.ts";
import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { World } from "../worlds/world.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { deliveryShape } from "./delivery-shape.ts";
import { refuseUnknown, valueOf } from "./control.ts";
import { resend } from "../platform/webhook-events/attempt.ts";

/** `GET /sandbox/deliveries`, newest last; `event`, `object` and `status` filter. */
export function listDeliveries({ world, query }: ControlRequest): object {
  const { event, object, status } = query;
  const { records } = world;
  const all = object === undefined ? records.all(deliveries) : records.find(deliveries, "object", object);
  const data = Array.from(all)
    .filter((delivery) => event === undefined || delivery.event === event)
    .filter((delivery) => status === undefined || delivery.status === status)
    .map((delivery) => deliveryShape(world, delivery));
  return { data };
}

/** `GET /sandbox/deliveries/{id}` */
export function showDelivery({ world, params }: ControlRequest): object {
  return deliveryShape(world, deliveryOf(world, params["id"] ?? ""));
}

/** `POST /sandbox/deliveries/{id}/resend`: one attempt by hand; answers once it is over. */
export async function resendDelivery({ world, params }: ControlRequest): Promise<object> {
  const { id } = deliveryOf(world, params["id"] ?? "");
  valueOf(world.execute({ by: "control", name: "resend" }, (tx) => resend(tx, deliveryOf(world, id))));
  await world.settled();
  return deliveryShape(world, deliveryOf(world, id));
}

function deliveryOf(world: World, id: string): Delivery {
  const delivery = world.records.get(deliveries, id);
  return delivery ?? refuseUnknown(`There is no delivery "${id}". GET /sandbox/deliveries lists them.`);
}
