import type { ShapeName } from "../../simulator/api/generated/shapes.ts";
import type { EntryPlace } from "./observers/traffic.ts";
import { checkOf } from "../../simulator/api/schema-compiler.ts";
import { events, eventShapes } from "../../simulator/api/events.ts";
import { explainErrors, fieldName } from "../../simulator/api/schema-errors.ts";
import { type Operation, errorStatuses } from "../../simulator/api/operations.ts";
import { SIGNATURE_HEADER } from "../../simulator/api/signature.ts";

/** A difference between the traffic and the description of the platform API. */
export interface ShapeFinding {
  readonly kind:
    | "unknown-field"
    | "missing-field"
    | "unknown-value"
    | "wrong-value"
    | "unknown-status"
    | "unknown-event"
    | "missing-event"
    | "missing-header"
    | "no-json";
  readonly operationId?: string;
  readonly event?: string;
  /** The dotted path of the field, without indexes of lists. */
  readonly path: string;
  /** The first place of the difference. */
  readonly entry: EntryPlace;
  readonly found: string;
  /** The number of occurrences. */
  readonly count: number;
}

/** The maximum number of kept findings. */
const FINDINGS_MAX = 1_000;
const PATH_LENGTH_MAX = 200;

/** Findings by subject. Each is reported once, with its number. */
export class ShapeFindings {
  readonly #findings = new Map<string, ShapeFinding>();
  #left = 0;

  /** The number of findings that were left out for lack of room. */
  get left(): number {
    return this.#left;
  }

  add(given: Omit<ShapeFinding, "count">): void {
    const { kind, operationId, event, entry } = given;
    const path = given.path.slice(0, PATH_LENGTH_MAX);
    const found = given.found.slice(0, 2 * PATH_LENGTH_MAX);
    const subject = event === undefined ? { operationId: operationId ?? "" } : { event };
    const about = { kind, ...subject, path };
    const key = JSON.stringify([about, kind === "unknown-value" ? found : ""]);
    const known = this.#findings.get(key) ?? { ...about, entry, found, count: 0 };
    if (known.count === 0 && this.#findings.size >= FINDINGS_MAX) this.#left++;
    else this.#findings.set(key, { ...known, count: known.count + 1 });
  }

  get all(): ShapeFinding[] {
    return [...this.#findings.values()];
  }
}

/** Finds the differences between a value and a shape of the OpenAPI document. */
function differences(shape: ShapeName, value: unknown): Pick<ShapeFinding, "kind" | "path" | "found">[] {
  const check = checkOf(shape);
  if (check(value)) return [];
  return explainErrors(check.errors ?? []).map((error) => {
    const { path, expected, found } = error;
    return {
      kind: kindOf(error),
      path: path.filter((name) => !/^\d+$/.test(name)).join("."),
      found: `${fieldName(path)} ${expected}${found === undefined ? "" : `; found ${found}`}`,
    };
  });
}

function kindOf({
  issue,
  isAboutKey,
  unknownWord,
}: ReturnType<typeof explainErrors>[number]): ShapeFinding["kind"] {
  if (issue === "REQUIRED") return "missing-field";
  if (isAboutKey) return "unknown-field";
  return unknownWord === undefined ? "wrong-value" : "unknown-value";
}

const ERROR_SHAPES = { common: "ErrorBody", sentences: "ErrorSentences", oauth: "OAuthErrorBody" } as const;

/** Reports the mistakes of an answer. */
export function checkAnswer(
  {
    operation,
    status,
    answer,
    text,
    entry,
  }: {
    readonly operation: Operation;
    readonly status: number;
    readonly answer: unknown;
    readonly text: string;
    readonly entry: EntryPlace;
  },
  findings: ShapeFindings,
): void {
  const { operationId } = operation;
  const isSuccess = status >= 200 && status < 300;
  // A separate assumption decides the status of a successful POST.
  const successes = operation.method === "POST" ? [200, 201] : [operation.successStatus];
  const known: readonly number[] = [...successes, ...Object.values(errorStatuses)];
  // A gateway may answer with these statuses, in place of the platform.
  const isOfGateway = status === 429 || status > 500;
  if (isOfGateway || status === 0 || (status >= 300 && status < 400)) return;
  if (!known.includes(status))
    findings.add({ kind: "unknown-status", operationId, path: "", entry, found: String(status) });
  // Only 204 and 304 answer without a body (RFC 9110, 6.4.1).
  if (text === "" && status !== 204 && status !== 304)
    findings.add({ kind: "no-json", operationId, path: "", entry, found: "an empty body" });
  // A recorder may have left the body out.
  if (answer === undefined && text !== "")
    findings.add({ kind: "no-json", operationId, path: "", entry, found: text.slice(0, 60) });
  if (answer === undefined) return;
  const shape = isSuccess ? operation.response : ERROR_SHAPES[operation.errorForm];
  for (const difference of differences(shape, answer)) findings.add({ operationId, entry, ...difference });
}

/** Reports the mistakes of a webhook. */
export function checkEvent(
  {
    event,
    body,
    hasSignature,
    entry,
  }: {
    readonly event: string;
    readonly body: unknown;
    readonly hasSignature: boolean;
    readonly entry: EntryPlace;
  },
  findings: ShapeFindings,
): void {
  if (!hasSignature)
    findings.add({ kind: "missing-header", event, path: SIGNATURE_HEADER, entry, found: "no signature" });
  const description = Object.hasOwn(events, event) ? events[event as keyof typeof events] : undefined;
  if (description === undefined)
    return findings.add({ kind: "unknown-event", event, path: "event", entry, found: event });
  const byShape = eventShapes(description).map((shape) => differences(shape, body));
  const fewest = byShape.toSorted((one, other) => one.length - other.length)[0] ?? [];
  for (const difference of fewest) findings.add({ event, entry, ...difference });
}
