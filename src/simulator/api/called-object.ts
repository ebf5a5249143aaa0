import { isRecord } from "../engine/json.ts";

/**
 * Returns the names of the object that a call is about, to recognise a repetition of the call: the parameters of the
 * path, and the names in the body. Empty for a call about no particular object.
 */
export function calledObject(params: readonly string[], body: unknown): string {
  if (!isRecord(body)) return params.join(" ");
  const { externalId, orderId, order } = body;
  const names = [externalId, isRecord(order) ? order["externalId"] : undefined, orderId];
  return [...params, ...names.filter((name) => typeof name === "string")].join(" ");
}
