import type { TrafficCall } from "./observers/traffic.ts";
import {
  bodyProblems,
  idempotencyKeyProblems,
  pathProblems,
  queryProblems,
  unknownFields,
} from "../../simulator/api/validation.ts";
import { type Operation, operations } from "../../simulator/api/operations.ts";
import { type ReadEntry, parsedBody } from "./read-entry.ts";

/** The operations by their paths. The base address may have its own path. */
const ROUTES = Object.values(operations).map((operation) => ({
  operation,
  pattern: new RegExp(`^(?:/[^?]*)?${operation.path.replaceAll(/\{([^}]+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** Finds the operation of a call, with the parameters of its path. */
export function matchOf(
  method: string,
  path: string,
): { readonly operation: Operation; readonly params: Readonly<Record<string, string>> } | undefined {
  for (const { operation, pattern } of ROUTES) {
    const found = operation.method === method ? pattern.exec(path) : null;
    if (found !== null) return { operation, params: { ...found.groups } };
  }
  return undefined;
}

/** Returns the body of a request, and the problems that its shape finds. */
export function requestOf(
  operation: Operation | undefined,
  read: ReadEntry,
  params: Readonly<Record<string, string>>,
): Pick<TrafficCall, "body" | "requestProblems" | "unknownFields"> {
  const isForm = operation?.isForm === true;
  const body = isForm
    ? Object.fromEntries(new URLSearchParams(read.requestText ?? ""))
    : parsedBody(read.requestText);
  if (operation === undefined || isForm) return { body, requestProblems: [], unknownFields: [] };
  const { operationId, idempotencyKey } = operation;
  const query = Object.fromEntries(read.url.searchParams);
  return {
    body,
    requestProblems: [
      ...pathProblems(operationId, params),
      ...queryProblems(operationId, query).problems,
      ...bodyProblems(operationId, body),
      ...(idempotencyKey === undefined
        ? []
        : idempotencyKeyProblems(idempotencyKey, read.requestHeaders["idempotency-key"] ?? "")),
    ],
    unknownFields: body === undefined ? [] : unknownFields(operationId, body),
  };
}
