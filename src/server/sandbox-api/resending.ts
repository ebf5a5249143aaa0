import type { ControlRequest } from "./control.ts";
import type { DeliveryFilter } from "./deliveries.ts";
import { foundValue } from "../../api/found-value.ts";
import { closest } from "fastest-levenshtein";
import { deliveryOf, filteredDeliveries } from "./deliveries.ts";
import { deliveryShape } from "./delivery-shape.ts";
import { refuse, valueOf } from "./control.ts";
import { resend } from "../../platform/webhook-events/attempt.ts";

const FIELDS = ["status", "event", "object", "since"];

/** `POST /sandbox/deliveries/{id}/resend`: one attempt by hand; answers once it is over. */
export async function resendDelivery({ world, params, inbound }: ControlRequest): Promise<object> {
  const { id } = deliveryOf(world, params["id"] ?? "");
  valueOf(
    world.execute({ by: "control", name: "resend" }, (tx) => resend(tx, deliveryOf(world, id)), inbound),
  );
  await world.settled();
  return deliveryShape(world, deliveryOf(world, id));
}

/**
 * `POST /sandbox/deliveries/resend` `{status?, event?, object?, since?}`: one attempt by hand of each, of those
 * undelivered unless a status is given; answers once all are over.
 */
export async function resendDeliveries({ world, body, inbound }: ControlRequest): Promise<object> {
  const ids = filteredDeliveries(world, { status: "undelivered", ...filterOf(body) })
    .filter(({ duplicateOf }) => duplicateOf === null)
    .map(({ id }) => id);
  valueOf(
    world.execute(
      { by: "control", name: "resend" },
      (tx) => {
        for (const id of ids) resend(tx, deliveryOf(world, id));
      },
      inbound,
    ),
  );
  await world.settled();
  const data = ids.map((id) => deliveryShape(world, deliveryOf(world, id)));
  return { resent: ids.length, data };
}

function filterOf(body: ControlRequest["body"]): DeliveryFilter {
  for (const [field, value] of Object.entries(body)) {
    if (!FIELDS.includes(field)) {
      const nearest = closest(field.slice(0, 100), FIELDS);
      refuse(
        field.slice(0, 100),
        `There is no field ${foundValue(field)}. Did you mean ${nearest}?`,
        "NOT_ALLOWED",
      );
    }
    if (typeof value !== "string") refuse(field, `${field} must be a text; found ${foundValue(value)}.`);
  }
  return body;
}
