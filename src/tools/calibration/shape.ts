import type { Entry, ShapeProblem } from "./observers/traffic.ts";
import { checkOf } from "../../api/schema-compiler.ts";
import { events, eventShapes } from "../../api/events.ts";
import { explainErrors, fieldName } from "../../api/schema-errors.ts";
import { type Operation, type ShapeName, errorStatuses } from "../../api/operations.ts";
import { isRecord } from "../../engine/json.ts";

export type ShapeKind =
  | "unknown-field"
  | "missing-field"
  | "unknown-value"
  | "wrong-value"
  | "unknown-status"
  | "unknown-event"
  | "missing-event"
  | "missing-header"
  | "no-json";

/** A difference between what was seen and what the interface describes. */
export interface ShapeFinding {
  readonly kind: ShapeKind;
  readonly operationId?: string;
  readonly event?: string;
  /** The field, by its dotted path; indexes of lists are left out. */
  readonly path: string;
  /** Where it was first seen. */
  readonly entry: Entry;
  readonly found: string;
  /** How often it was seen. */
  readonly count: number;
}

/** Findings that are kept: no report is read any further. */
const FINDINGS_MAX = 1_000;
const PATH_LENGTH_MAX = 200;

type NewFinding = Omit<ShapeFinding, "count">;

/** A problem of a value, and what kind of difference it is. */
interface Difference extends ShapeProblem {
  readonly kind: ShapeKind;
  readonly path: string;
}

/** Findings by what they are about: each is reported once, with its number. */
export class ShapeFindings {
  readonly #findings = new Map<string, ShapeFinding>();
  #left = 0;

  /** How many findings there was no room for. */
  get left(): number {
    return this.#left;
  }

  add(given: NewFinding): void {
    const path = given.path.slice(0, PATH_LENGTH_MAX);
    const found = given.found.slice(0, 2 * PATH_LENGTH_MAX);
    const finding = { ...given, path, found };
    const { kind, operationId = "", event = "" } = finding;
    const key = JSON.stringify([kind, operationId, event, path, kind === "unknown-value" ? found : ""]);
    const known = this.#findings.get(key);
    if (known === undefined && this.#findings.size >= FINDINGS_MAX) {
      this.#left++;
      return;
    }
    this.#findings.set(
      key,
      known === undefined ? { ...finding, count: 1 } : { ...known, count: known.count + 1 },
    );
  }

  get all(): ShapeFinding[] {
    return [...this.#findings.values()];
  }
}

/** What is different about a value, held against a shape of the OpenAPI document. */
function differences(shape: ShapeName, value: unknown): Difference[] {
  const check = checkOf(shape);
  if (check(value)) return [];
  return explainErrors(check.errors ?? []).map(
    ({ path, issue, expected, found, isAboutKey, unknownWord }) => ({
      field: fieldName(path),
      path: path.filter((name) => !/^\d+$/.test(name)).join("."),
      issue,
      description: `${fieldName(path)} ${expected}${found === undefined ? "" : `; found ${found}`}`,
      kind:
        issue === "REQUIRED"
          ? "missing-field"
          : isAboutKey
            ? "unknown-field"
            : unknownWord === undefined
              ? "wrong-value"
              : "unknown-value",
    }),
  );
}

interface SeenAnswer {
  readonly operation: Operation;
  readonly status: number;
  readonly answer: unknown;
  readonly text: string;
  readonly entry: Entry;
}

const ERROR_SHAPES = { common: "ErrorBody", sentences: "ErrorSentences", oauth: "OAuthErrorBody" } as const;

/** Checks an answer; returns what is wrong with it and reports it. */
export function checkAnswer(
  { operation, status, answer, text, entry }: SeenAnswer,
  findings: ShapeFindings,
): ShapeProblem[] {
  const { operationId } = operation;
  const isSuccess = status >= 200 && status < 300;
  // Which of the two a POST answers with is an assumption of its own.
  const successes = operation.method === "POST" ? [200, 201] : [operation.successStatus];
  const known: readonly number[] = [...successes, ...Object.values(errorStatuses)];
  // Gateways answer with these in the place of any platform.
  const isOfGateway = status === 429 || status > 500;
  if (isOfGateway || status === 0 || (status >= 300 && status < 400)) return [];
  if (!known.includes(status))
    findings.add({ kind: "unknown-status", operationId, path: "", entry, found: String(status) });
  if (answer === undefined) {
    // A recorder may have left the body out.
    if (text !== "")
      findings.add({ kind: "no-json", operationId, path: "", entry, found: text.slice(0, 60) });
    return [];
  }
  const shape = isSuccess ? operation.response : ERROR_SHAPES[operation.errorForm];
  const found = differences(shape, answer);
  for (const { kind, path, description } of found)
    findings.add({ kind, operationId, path, entry, found: description });
  return found;
}

interface SeenEvent {
  readonly body: unknown;
  readonly hasSignature: boolean;
  readonly entry: Entry;
}

/** Checks the body of a webhook; returns its event and what is wrong with it. */
export function checkEvent(
  { body, hasSignature, entry }: SeenEvent,
  findings: ShapeFindings,
): { readonly event: string; readonly problems: readonly ShapeProblem[] } {
  const event = isRecord(body) && typeof body["event"] === "string" ? body["event"] : "";
  if (!hasSignature)
    findings.add({ kind: "missing-header", event, path: "X-Signature-SHA256", entry, found: "no signature" });
  const description = Object.hasOwn(events, event) ? events[event as keyof typeof events] : undefined;
  if (description === undefined) {
    findings.add({ kind: "unknown-event", event, path: "event", entry, found: event });
    return { event, problems: [{ field: "event", issue: "INVALID", description: `${event} is not known` }] };
  }
  const byShape = eventShapes(description).map((shape) => differences(shape, body));
  const problems = byShape.toSorted((one, other) => one.length - other.length)[0] ?? [];
  for (const { kind, path, description: found } of problems)
    findings.add({ kind, event, path, entry, found });
  return { event, problems };
}
