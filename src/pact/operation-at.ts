import type { Operation } from "../api/operations.ts";
import { operations } from "../api/operations.ts";

/** The operation that answers at a method and path, with any values of its parameters. */
export function operationAt({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): Operation | undefined {
  const bare = path.split("?")[0] ?? "";
  return Object.values(operations).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(bare),
  );
}
