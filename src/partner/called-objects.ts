import type { LoggedRequest } from "../simulator/api/generated/shapes.ts";
import { calledObject } from "../simulator/api/called-object.ts";
import { operations } from "../simulator/api/operations.ts";
import { parsed } from "../simulator/engine/json.ts";

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
