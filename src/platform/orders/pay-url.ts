import type { Call } from "../call.ts";

/** The address of an order's page for its payer, or of a place under it (`/3ds`); it carries its world. */
export function payUrl(
  { origin, worldId }: Pick<Call, "origin" | "worldId">,
  orderId: string,
  place = "",
): string {
  return `${origin}/pay/${worldId}/${orderId}${place}`;
}
