import { isRecord } from "../engine/json.ts";

/**
 * What a call is about, as its caller names it, so that a repetition of the call is recognised: what the path names,
 * and the names in the body. Empty for a call about nothing in particular.
 */
export function calledObject(params: readonly string[], body: unknown): string {
  if (!isRecord(body)) return params.join(" ");
  const { externalId, orderId, order } = body;
  const names = [externalId, isRecord(order) ? order["externalId"] : undefined, orderId];
  return [...params, ...names.filter((name) => typeof name === "string")].join(" ");
}
