import {
  type Call,
  type Traffic,
  at,
  detailsOf,
  isDone,
  isRefused,
  isRefusedFor,
  textAt,
} from "./traffic.ts";
import { type Check, type Found, type Range, derived, either } from "./observer.ts";
import { hasCnpjForm, hasCpfForm, isCnpj, isCpf } from "../../../countries/brazil/documents.ts";
import { isRecord } from "../../../engine/json.ts";

/** Requests that our shape refuses for one kind of reason and no other. */
function expectedRefusals(
  traffic: Traffic,
  operations: readonly string[] | null,
  isMeant: (problem: Call["requestProblems"][number]) => boolean,
): { readonly call: Call; readonly fields: string }[] {
  return traffic.calls
    .filter(({ operation }) => operation !== null && (operations === null || operations.includes(operation)))
    .filter(({ requestProblems }) => requestProblems.length > 0 && requestProblems.every(isMeant))
    .map((call) => ({ call, fields: call.requestProblems.map(({ field }) => field).join(", ") }));
}

/** Limits of lengths and ranges that requests went beyond. */
function* beyondLimits(traffic: Traffic): Iterable<Check> {
  for (const { call, fields } of expectedRefusals(traffic, null, ({ description }) =>
    /at (most|least) [\d.]+/.test(description),
  )) {
    if (call.operation === "listAccounts" || call.operation === "listUndeliveredEvents") continue;
    if (isDone(call) || isRefused(call))
      yield either(
        !isDone(call),
        ["what is beyond a limit is refused", `${fields} is accepted`],
        [call],
        fields,
      );
  }
}

/** Limits of lengths and ranges: those that requests went beyond, and those of the platform within ours. */
export function* lengthLimits(traffic: Traffic): Iterable<Check> {
  yield* beyondLimits(traffic);
  for (const call of traffic.calls) {
    if (!isRefused(call) || call.requestProblems.length > 0) continue;
    for (const { field, issue, description } of detailsOf(call)) {
      const isForLength =
        /TOO_LONG|LENGTH/i.test(issue) || /at most \d+ char|too long|longer than|length/i.test(description);
      if (isForLength && typeof at(call.body, field) === "string")
        yield either(
          false,
          ["what is within a limit is accepted", `${field} is refused`],
          [call],
          `${field} within`,
        );
    }
  }
}

/** Requests in which null is the only thing that is wrong. */
export function* nullFields(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls) {
    const nulls = nullPaths(call.body, "");
    if (nulls.length === 0 || nulls.some((path) => path.startsWith("payer"))) continue;
    const others = call.requestProblems.filter(({ field }) => !nulls.includes(field));
    if (others.length > 0) continue;
    if (isDone(call)) yield { is: "absent", seen: [call] };
    else if (isRefused(call) && detailsOf(call).some(({ field }) => nulls.includes(field)))
      yield { is: "refuse", seen: [call] };
  }
}

function nullPaths(value: unknown, path: string): string[] {
  if (value === null) return path === "" ? [] : [path];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    nullPaths(field, path === "" ? name : `${path}.${name}`),
  );
}

/** Documents of requests whose check digits are wrong. */
export function* wrongDocuments(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls) {
    for (const field of ["debtor.document", "payer.document", "receiver.document", "customer.document"]) {
      const number = textAt(call.body, `${field}.number`) ?? "";
      const type = textAt(call.body, `${field}.type`);
      const isWrong =
        (type === "CPF" && hasCpfForm(number) && !isCpf(number)) ||
        (type === "CNPJ" && hasCnpjForm(number) && !isCnpj(number));
      if (!isWrong || call.requestProblems.length > 0) continue;
      // A payer of journey 2 is ignored, whatever it is.
      if (field === "payer.document" && textAt(call.body, "type") === "AUTHORIZATION_QRCODE") continue;
      if (isDone(call)) yield { is: false, seen: [call] };
      else if (isRefusedFor(call, new RegExp(`^${field}`))) yield { is: true, seen: [call] };
    }
  }
}

/** Requests with fields that the interface does not have. */
export function* unknownRequestFields(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls) {
    if (call.unknownFields.length === 0 || call.requestProblems.length > 0) continue;
    if (isDone(call)) yield { is: "ignore", seen: [call] };
    else if (detailsOf(call).some(({ field }) => call.unknownFields.includes(field)))
      yield { is: "strict", seen: [call] };
  }
}

/** Idempotency keys that our rules refuse, and those that only they accept. */
export function* keyForms(traffic: Traffic): Iterable<Check> {
  for (const { call } of expectedRefusals(traffic, null, ({ field }) => field === "idempotency-key")) {
    const kind =
      call.idempotencyKey === null
        ? "a missing key"
        : call.idempotencyKey.length > 64
          ? "a long key"
          : "a key that is no UUID";
    if (isDone(call) || isRefused(call))
      yield either(
        !isDone(call),
        [`${call.operation}: ${kind} is refused`, `${call.operation}: ${kind} is accepted`],
        [call],
        `${call.operation} ${kind}`,
      );
  }
  for (const call of traffic.of("createPayout", "createTransparentOrder", "createTransparentOrderV3")) {
    if (call.idempotencyKey === null || /^[0-9a-f]{8}-/i.test(call.idempotencyKey)) continue;
    if (isDone(call) || isRefusedFor(call, /^idempotency-key$/))
      if (call.idempotencyKey.length <= 64 && call.idempotencyKey !== "" && !isReused(call))
        yield either(
          isDone(call),
          [`${call.operation}: any text is a key`, `${call.operation}: it has to be a UUID`],
          [call],
          `${call.operation} text`,
        );
  }
}

function isReused(call: Call): boolean {
  return detailsOf(call).some(({ issue }) => /REUSED/.test(issue));
}

/** Two calls with one idempotency key, the first of which was answered. */
interface Repeated {
  readonly first: Call;
  readonly again: Call;
  readonly isSameBody: boolean;
  /** Until the second, at most. */
  readonly distanceMs: number;
  /** Until the second, at least. */
  readonly leastMs: number;
  readonly outcome: "same answer" | "new answer" | "refused";
}

const repeated = derived((traffic: Traffic): readonly Repeated[] => {
  const first = new Map<string, Call>();
  const found: Repeated[] = [];
  for (const call of traffic.calls) {
    if (
      call.operation === null ||
      call.idempotencyKey === null ||
      call.description?.idempotencyKey === undefined
    )
      continue;
    const key = `${call.company} ${call.operation} ${call.idempotencyKey}`;
    const before = first.get(key);
    if (before === undefined) {
      if (isDone(call)) first.set(key, call);
      continue;
    }
    if (!isDone(call) && !isRefused(call)) continue;
    const isSame = identity(before) === identity(call);
    const outcome = isDone(call) ? (isSame ? "same answer" : "new answer") : "refused";
    found.push({
      first: before,
      again: call,
      isSameBody: JSON.stringify([before.body, before.params]) === JSON.stringify([call.body, call.params]),
      distanceMs: call.at.to - before.at.from,
      leastMs: Math.max(0, call.at.from - before.at.to),
      outcome,
    });
    if (outcome === "new answer") first.set(key, call);
  }
  return found;
});

/** What distinguishes one answer from another. */
function identity({ answer }: Call): string {
  return textAt(answer, "id") ?? JSON.stringify(answer);
}

/** A key that is used again this soon is not one that was forgotten. */
const SOON_MS = 30_000;

export function* replays(traffic: Traffic): Iterable<Check> {
  for (const { first, again, isSameBody, distanceMs, outcome } of repeated(traffic)) {
    if (outcome === "new answer" && distanceMs > SOON_MS) continue;
    const [aspect, expected, wanted] = isSameBody
      ? (["same body", "the same request again gives the same answer", "same answer"] as const)
      : (["another body", "another body under the key is INVALID_REQUEST", "refused"] as const);
    const seen = [first, again];
    yield either(
      outcome === wanted,
      [expected, isSameBody ? `it is a ${outcome}` : `it gives a ${outcome}`],
      seen,
      aspect,
    );
    if (isSameBody && outcome === "same answer")
      yield either(
        again.answerHeaders["idempotency-replayed"] === "true",
        ["the answer has idempotency-replayed: true", "it has no such header"],
        seen,
        "header",
      );
  }
}

/** How long a key is remembered: longer than to the last replay, less than to the first new answer. */
export function* retention(traffic: Traffic): Iterable<Range> {
  for (const { first, again, isSameBody, distanceMs, leastMs, outcome } of repeated(traffic)) {
    const seen = [first, again];
    if (outcome === "new answer") {
      if (distanceMs > SOON_MS) yield { from: -Infinity, to: distanceMs, seen };
    } else if (outcome === "same answer" || (!isSameBody && isReused(again)))
      yield { from: leastMs, to: Infinity, seen };
  }
}

/** A second use of an external id by one company: whether it is refused. */
export const uniqueIds = (path: string, ...operations: readonly string[]) =>
  function* uniqueOf(traffic: Traffic): Iterable<Found> {
    const first = new Map<string, Call>();
    for (const call of traffic.of(...operations)) {
      const id = textAt(call.body, path);
      if (id === undefined) continue;
      const key = `${call.company} ${id}`;
      const before = first.get(key);
      if (before === undefined) {
        if (isDone(call)) first.set(key, call);
      } else if (isDone(call)) {
        if (textAt(before.answer, "id") !== textAt(call.answer, "id"))
          yield { is: false, seen: [before, call] };
      } else if (isRefusedFor(call, new RegExp(`^${path.replaceAll(".", "\\.")}$`)))
        yield { is: true, seen: [before, call] };
    }
  };
