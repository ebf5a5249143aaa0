import {
  type TrafficCall,
  type Traffic,
  detailsOf,
  isDone,
  isRefused,
  isRefusedFor,
  isWellFormed,
  isSameInstant,
} from "./traffic.ts";
import { at, isRecord, textAt } from "../../../simulator/engine/json.ts";
import {
  type Check,
  type Found,
  type Observer,
  type Observers,
  type Range,
  answered,
  derived,
  either,
  observer,
} from "./observer.ts";
import { hasCnpjForm, hasCpfForm, isCnpj, isCpf } from "../../../simulator/countries/brazil/documents.ts";

/** Observers for the contents of requests, and for idempotency keys. */
export const requestObservers: Observers = {
  "payloads.lengths": observer(
    "The answer to a request whose only mistake is a value above a limit, and refusals of a length within the limit.",
    function* lengthLimits({ calls }) {
      for (const call of calls) yield* isWellFormed(call) ? refusedLengths(call) : beyondLimits(call);
    },
  ),
  "payloads.null-fields": observer(
    "The answer to a request whose only mistake is a null.",
    function* nullFields({ calls }): Iterable<Found> {
      for (const call of calls) {
        const nulls = nullPaths(call.body);
        if (nulls.length === 0 || nulls.some((path) => path.startsWith("payer"))) continue;
        if (!call.requestProblems.every(({ field }) => nulls.includes(field))) continue;
        const { operation: of } = call;
        if (isDone(call)) yield { is: "absent", of, seen: [call] };
        else if (isRefused(call) && detailsOf(call).some(({ field }) => nulls.includes(field)))
          yield { is: "refuse", of, seen: [call] };
      }
    },
  ),
  "documents.validate": observer(
    "The answer to a CPF or CNPJ whose check digits are wrong.",
    function* wrongDocuments({ calls }) {
      for (const call of calls.filter(isWellFormed))
        for (const field of ["debtor", "payer", "receiver", "customer"].map((owner) => `${owner}.document`)) {
          // The payer of journey 2 is always ignored.
          const isIgnored =
            field === "payer.document" && textAt(call.body, "type") === "AUTHORIZATION_QRCODE";
          if (!isIgnored && isWrong(at(call.body, field)))
            yield* answered(call, { accepted: false, refused: true, field: new RegExp(`^${field}`) });
        }
    },
  ),
  "payloads.unknown-fields": observer(
    "The answer to a request with fields that the platform API does not have.",
    function* unknownFields({ calls }): Iterable<Found> {
      for (const call of calls) {
        if (call.unknownFields.length === 0 || !isWellFormed(call)) continue;
        const { operation: of } = call;
        if (isDone(call)) yield { is: "ignore", of, seen: [call] };
        else if (detailsOf(call).some(({ field }) => call.unknownFields.includes(field)))
          yield { is: "strict", of, seen: [call] };
      }
    },
  ),
  "idempotency.format": observer("The answer to keys that are missing, too long or not a UUID.", keyForms),
  "idempotency.replay": observer("The answer to a second request with the same key.", replays),
  "idempotency.retention": observer(
    "The time until which a key gives its first answer again, and the time from which it is new.",
    retention,
  ),
  "payloads.qrcode-images": observer("The beginning of the pictures in answers.", pictures),
};

/** Returns true if a request has only problems of one kind, and was answered. */
function isOnly(
  call: TrafficCall,
  isMeant: (problem: TrafficCall["requestProblems"][number]) => boolean,
): boolean {
  const { operation, requestProblems } = call;
  return operation !== null && requestProblems.every(isMeant) && (isDone(call) || isRefused(call));
}

const LISTS: ReadonlySet<string | null> = new Set(["listAccounts", "listUndeliveredEvents"]);

/** Limits of lengths and ranges that a request goes beyond. */
function beyondLimits(call: TrafficCall): Check[] {
  const { operation, requestProblems } = call;
  if (LISTS.has(operation) || !isOnly(call, ({ description }) => /at (most|least) [\d.]+/.test(description)))
    return [];
  const fields = requestProblems.map(({ field }) => field).join(", ");
  return [
    either(!isDone(call), ["values above a limit are refused", `${fields} is accepted`], [call], fields),
  ];
}

/** Finds refusals for the length of a text that the sandbox accepts. */
function refusedLengths(call: TrafficCall): Check[] {
  if (!isRefused(call)) return [];
  return detailsOf(call).flatMap(({ field, issue, description }) => {
    const isForLength =
      /TOO_LONG|LENGTH/i.test(issue) || /at most \d+ char|too long|longer than|length/i.test(description);
    if (!isForLength || typeof at(call.body, field) !== "string") return [];
    const names = ["values within a limit are accepted", `${field} is refused`] as const;
    return [either(false, names, [call], `${field} within`)];
  });
}

/**
 * Returns the paths of all nulls. A body of a recorded file may be nested deeper than functions may call each other.
 */
function nullPaths(body: unknown): string[] {
  const found: string[] = [];
  const open: [path: string, value: unknown][] = [["", body]];
  for (const [path, value] of open) {
    if (value === null && path !== "") found.push(path);
    if (!isRecord(value)) continue;
    for (const [name, field] of Object.entries(value))
      open.push([path === "" ? name : `${path}.${name}`, field]);
  }
  return found;
}

/** Returns true if the check digits of a document are wrong. */
function isWrong(document: unknown): boolean {
  const number = textAt(document, "number") ?? "";
  const type = textAt(document, "type");
  return (
    (type === "CPF" && hasCpfForm(number) && !isCpf(number)) ||
    (type === "CNPJ" && hasCnpjForm(number) && !isCnpj(number))
  );
}

/** Finds keys that our rules refuse, and keys that only our rules accept. */
function* keyForms(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.calls) {
    const { idempotencyKey: key, operation } = call;
    // A file without headers does not show that a key was missing.
    if (
      !call.hasRequestHeaders ||
      isWellFormed(call) ||
      !isOnly(call, ({ field }) => field === "idempotency-key")
    )
      continue;
    const kind = key === null ? "missing key" : key.length > 64 ? "long key" : "key that is not a UUID";
    const name = `${operation}: a ${kind}`;
    const aspect = `${operation} a ${kind}`;
    yield either(!isDone(call), [`${name} is refused`, `${name} is accepted`], [call], aspect);
  }
  for (const call of traffic.of("createPayout", "createTransparentOrder", "createTransparentOrderV3")) {
    const { idempotencyKey: key, operation } = call;
    if (key === null || key === "" || key.length > 64 || /^[0-9a-f]{8}-/i.test(key) || isReused(call))
      continue;
    const names = [`${operation}: any text is a key`, `${operation}: it must be a UUID`] as const;
    if (isDone(call) || isRefusedFor(call, /^idempotency-key$/))
      yield either(isDone(call), names, [call], `${operation} text`);
  }
}

function isReused(call: TrafficCall): boolean {
  return detailsOf(call).some(({ issue }) => /REUSED/.test(issue));
}

/** Two calls with one idempotency key. The first was answered. */
interface Repeated {
  readonly seen: readonly [TrafficCall, TrafficCall];
  readonly isSameBody: boolean;
  /** The maximum time until the second call. */
  readonly distanceMs: number;
  /** The minimum time until the second call. */
  readonly leastMs: number;
  readonly outcome: "same answer" | "new answer" | "refused";
}

const repeated = derived((traffic: Traffic): readonly Repeated[] => {
  const first = new Map<string, TrafficCall>();
  const found: Repeated[] = [];
  for (const call of traffic.calls) {
    if (call.idempotencyKey === null || call.description?.idempotencyKey === undefined) continue;
    const key = `${call.company} ${call.operation} ${call.idempotencyKey}`;
    const before = first.get(key);
    const isSame = before !== undefined && identity(before) === identity(call);
    // Without a token, two companies may use one key.
    if (before !== undefined && call.company === "" && !isSame) continue;
    if (isDone(call) && !isSame) first.set(key, call);
    if (before === undefined || !(isDone(call) || isRefused(call))) continue;
    found.push({
      seen: [before, call],
      isSameBody: JSON.stringify([before.body, before.params]) === JSON.stringify([call.body, call.params]),
      distanceMs: call.at.to - before.at.from,
      leastMs: Math.max(0, call.at.from - before.at.to),
      outcome: !isDone(call) ? "refused" : isSame ? "same answer" : "new answer",
    });
  }
  return found;
});

/** Returns the text that distinguishes one answer from another. */
function identity({ answer }: TrafficCall): string {
  return textAt(answer, "id") ?? JSON.stringify(answer);
}

/** If a key is used again this soon, it has not been forgotten. */
const SOON_MS = 30_000;

function* replays(traffic: Traffic): Iterable<Check> {
  for (const { seen, isSameBody, distanceMs, outcome } of repeated(traffic)) {
    if (outcome === "new answer" && distanceMs > SOON_MS) continue;
    if (!isSameBody) {
      const names = ["another body under the key is INVALID_REQUEST", `it gives a ${outcome}`] as const;
      yield either(outcome === "refused", names, seen, "another body");
      continue;
    }
    const isReplayed = outcome === "same answer";
    const names = ["the same request again gives the same answer", `it is a ${outcome}`] as const;
    yield either(isReplayed, names, seen, "same body");
    const later = isSameInstant(...seen) ? seen : seen.slice(1);
    const isMarked = later.some(({ answerHeaders }) => answerHeaders["idempotency-replayed"] === "true");
    const headers = ["the answer has idempotency-replayed: true", "it has no such header"] as const;
    if (isReplayed && seen[1].hasAnswerHeaders) yield either(isMarked, headers, seen, "header");
  }
}

/**
 * Finds how long a key is remembered: longer than the time to the last replay, shorter than the time to the first new
 * answer.
 */
function* retention(traffic: Traffic): Iterable<Range> {
  for (const { seen, isSameBody, distanceMs, leastMs, outcome } of repeated(traffic)) {
    if (outcome === "new answer") {
      if (distanceMs > SOON_MS) yield { from: -Infinity, to: distanceMs, seen };
    } else if (outcome === "same answer" || (!isSameBody && isReused(seen[1])))
      yield { from: leastMs, to: Infinity, seen };
  }
}

/** Pictures of QR codes. */
function* pictures(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.done(
    "createSubscription",
    "createTransparentOrder",
    "createTransparentOrderV3",
    "getSubscription",
  )) {
    const picture =
      textAt(call.answer, "qrcodeImageBase64") ?? textAt(call.answer, "qrcodeDetail.imageBase64") ?? "";
    const other = picture.startsWith("data:") ? "with a data: prefix" : "another format";
    if (picture !== "")
      yield either(picture.startsWith("iVBORw0KGgo"), ["a PNG in plain base64", other], [call]);
  }
}

/** Observes if a second use of an external id by one company is refused. */
export function uniqueIds(how: string, path: string, ...operations: readonly string[]): Observer {
  const field = new RegExp(`^${path.replaceAll(".", "\\.")}$`);
  return observer(how, function* uniqueOf(traffic) {
    const first = new Map<string, TrafficCall>();
    for (const call of traffic.of(...operations)) {
      const id = textAt(call.body, path);
      const key = `${call.company} ${id}`;
      const before = first.get(key);
      if (id === undefined) continue;
      if (before === undefined) {
        if (isDone(call)) first.set(key, call);
      } else if (
        !isDone(call) ||
        (call.company !== "" && textAt(before.answer, "id") !== textAt(call.answer, "id"))
      )
        yield* answered(call, { accepted: false, refused: true, field }, [before, call]);
    }
  });
}
