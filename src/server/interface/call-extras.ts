import type { NamedRequest } from "../environment.ts";
import type { Operation } from "../../simulator/api/operations.ts";
import { isRepeated, PLAN_HEADER } from "../request.ts";
import type { ParsedBody } from "../request-body.ts";
import { type PlanHeader, readPlanHeader } from "./plan-header.ts";
import { type UnusedParameters, unknownFields, unusedParameters } from "../../simulator/api/validation.ts";

/** The parts of a request that the platform does not know, or that its API does not have. */
export interface Extras {
  readonly fields: readonly string[];
  readonly parameters: UnusedParameters;
  /** The headers that the operation reads and that were sent more than once. */
  readonly repeatedHeaders: readonly string[];
  /** The header with plans. */
  readonly header: string | undefined;
  /** The content of the header. Undefined without it. */
  readonly planned: PlanHeader | undefined;
}

/** Returns the extra parts of a request. */
export function extrasOf({ inbound, env }: NamedRequest, operation: Operation, body: ParsedBody): Extras {
  const { operationId } = operation;
  const { headers, path } = inbound.head;
  const header = headers[PLAN_HEADER];
  return {
    fields: "value" in body ? unknownFields(operationId, body.value) : [],
    parameters: unusedParameters(operationId, parameterNames(path)),
    repeatedHeaders:
      operation.idempotencyKey !== undefined && isRepeated(KEY_HEADER, headers[KEY_HEADER], env)
        ? [KEY_HEADER]
        : [],
    header,
    planned: header === undefined ? undefined : readPlanHeader(header, operation),
  };
}

/** Returns the headers of this answer, in addition to the headers of every answer. */
export function extraHeaders(
  { header, fields, parameters, repeatedHeaders }: Extras,
  isReplay: boolean,
): Readonly<Record<string, string>> | undefined {
  const warnings = warningsOf(fields, parameters, repeatedHeaders);
  if (!isReplay && header === undefined && warnings.length === 0) return undefined;
  return {
    ...(isReplay && { "idempotency-replayed": "true" }),
    ...(header !== undefined && { [PLAN_HEADER]: header }),
    ...(warnings.length > 0 && { "x-sandbox-warning": warnings.join("; ") }),
  };
}

/** Returns the names of all query parameters of an address, in order. */
function parameterNames(path: string): readonly string[] {
  const start = path.indexOf("?");
  return start === -1 ? [] : [...new URLSearchParams(path.slice(start)).keys()];
}

/** The header with the idempotency key. */
export const KEY_HEADER = "idempotency-key";

const NO_WARNINGS: readonly string[] = [];

/** Returns the texts of the header x-sandbox-warning. Header values are ASCII, but clients may choose any names. */
function warningsOf(
  fields: readonly string[],
  { unknown, repeated }: UnusedParameters,
  headers: readonly string[],
): readonly string[] {
  if (fields.length + unknown.length + repeated.length + headers.length === 0) return NO_WARNINGS;
  const found = {
    "unknown fields ignored": fields,
    "unknown query parameters ignored": unknown,
    "repeated query parameters read once": repeated,
    "repeated headers read as one value": headers,
  };
  return Object.entries(found)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.slice(0, 20).map(encodeURI).join(", ")}`);
}
