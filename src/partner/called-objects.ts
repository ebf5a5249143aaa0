import type { LoggedRequest } from "../simulator/api/generated/shapes.ts";
import { calledObject } from "../simulator/api/called-object.ts";
import { operations } from "../simulator/api/operations.ts";
import { isRecord, parsed } from "../simulator/engine/json.ts";

/** Returns the object of a call of the log, by its caller's name for it. */
export function objectOf(
  operation: string,
  { path, requestBody }: Pick<LoggedRequest, "path" | "requestBody">,
): string {
  const template = operations[operation as keyof typeof operations].path.split("/");
  const parts = (path.split("?")[0] ?? "").split("/");
  const params = template.flatMap((part, index) => (part.startsWith("{") ? [parts[index] ?? ""] : []));
  return calledObject(params, parsed(requestBody ?? ""));
}

/** Returns the caller's name for the object in the body of a call. */
export function externalIdIn(body: string | null): string | undefined {
  const sent = parsed(body ?? "");
  const order = isRecord(sent) && isRecord(sent["order"]) ? sent["order"] : sent;
  const name = isRecord(order) ? order["externalId"] : undefined;
  return typeof name === "string" ? name : undefined;
}
