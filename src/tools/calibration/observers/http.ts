import { type Call, type Traffic, at, isDone, isRefused, listAt, textAt } from "./traffic.ts";
import { type Check, type Found, type Range, derived, either } from "./observer.ts";
import { isRecord } from "../../../engine/json.ts";

const ERROR_STATUSES: Readonly<Record<string, number>> = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN_ERROR: 403,
  NOT_FOUND: 404,
  INTERNAL_ERROR: 500,
};

/** A POST that answers 200 creates nothing. */
function isAction({ description }: Call): boolean {
  return (
    description?.method === "POST" && description.successStatus === 200 && description.errorForm !== "oauth"
  );
}

/** The status of every answer, by operation and by the code of the error. */
export function* statuses(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls) {
    const { description, operation, status } = call;
    if (description === null || operation === null || isAction(call)) continue;
    const code = textAt(call.answer, "error") ?? "";
    if (!isDone(call)) {
      const expected = ERROR_STATUSES[code] ?? status;
      if (status !== expected) yield { is: `${code} ${status}`, seen: [call] };
    } else if (description.successStatus !== 201) {
      if (status !== description.successStatus) yield { is: `${operation} ${status}`, seen: [call] };
    } else yield { is: `created-${status}`, seen: [call] };
  }
}

export function* actionStatuses(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls)
    if (call.operation !== null && isDone(call) && isAction(call))
      yield { is: String(call.status), seen: [call] };
}

/** Refusals of payouts and orders: their form. */
export function* errorBodies(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.of("createPayout", "createTransparentOrder", "createTransparentOrderV3"))
    if (isRefused(call) && call.answer !== undefined) yield errorForm(call, "common");
}

/** 401 and 403 where the list of errors has neither. */
export function* authorizationErrors(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.calls) {
    const form = call.description?.errorForm;
    if ((call.status !== 401 && call.status !== 403) || call.answer === undefined) continue;
    if (form === "common" || form === "sentences") yield errorForm(call, form);
  }
}

function errorForm({ operation, answer, ...call }: Call, form: "common" | "sentences"): Check {
  const expected = form === "common" ? "{error, message, details}" : "an array of sentences";
  const isCommon = ["error", "message", "details"].every((name) => at(answer, name) !== undefined);
  const isSentences = Array.isArray(answer) && answer.every((sentence) => typeof sentence === "string");
  const other = isRecord(answer)
    ? `{${Object.keys(answer).join(", ")}}`
    : Array.isArray(answer)
      ? "an array"
      : "text";
  const found = isCommon ? "{error, message, details}" : isSentences ? "an array of sentences" : other;
  return {
    aspect: operation ?? "",
    expected: `${operation} ${expected}`,
    found: `${operation} ${found}`,
    seen: [call],
  };
}

export function* refundErrors(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.of("refundOrder"))
    if ((isRefused(call) || call.status === 401) && call.answer !== undefined)
      yield errorForm(call, "sentences");
}

/** How long an issued token is valid, as its answer says. */
export function* tokenLifetimes(traffic: Traffic): Iterable<Range> {
  for (const call of traffic.done("issueToken")) {
    const seconds = Number(at(call.answer, "expires_in"));
    if (Number.isFinite(seconds) && seconds > 0)
      yield { from: seconds * 1000, to: seconds * 1000, seen: [call] };
  }
}

export function* challenges(traffic: Traffic): Iterable<Check> {
  for (const call of traffic.calls) {
    if (call.status !== 401 || call.operation === null || call.description?.errorForm === "oauth") continue;
    const header = call.answerHeaders["www-authenticate"];
    yield either(
      /^bearer\b/i.test(header ?? ""),
      [
        "401 has www-authenticate: Bearer",
        header === undefined ? "401 has no www-authenticate" : `it has ${header}`,
      ],
      [call],
    );
  }
}

/** Operations that any token reaches where they need no scope, whatever their request. */
const UNSCOPED: ReadonlySet<string> = new Set([
  "listAccounts",
  "getAccountBalance",
  "getWebhook",
  "listUndeliveredEvents",
  "listDepositBanks",
]);

/** What a token without the scope gets where the interface names none. */
export function* scopes(traffic: Traffic): Iterable<Found> {
  const byToken = Map.groupBy(traffic.calls, ({ company }) => company);
  for (const calls of byToken.values()) {
    const scoped = calls.filter(({ description }) => description?.scoped === true);
    // A subscription is forbidden for its account, too.
    const refused = scoped.find(
      ({ status, operation, answer }) =>
        status === 403 && (operation !== "createSubscription" || /scope/i.test(JSON.stringify(answer))),
    );
    if (refused === undefined || scoped.some(isDone)) continue;
    for (const call of calls) {
      if (!UNSCOPED.has(call.operation ?? "")) continue;
      if (call.status === 403) yield { is: true, seen: [refused, call] };
      else if (isDone(call)) yield { is: false, seen: [refused, call] };
    }
  }
}

/** Who made what, by the ids that answers gave. */
const owners = derived((traffic: Traffic) => {
  const found = new Map<string, Call>();
  for (const call of traffic.calls) {
    if (!isDone(call) || call.method === "GET") continue;
    const id = textAt(call.answer, "id") ?? textAt(call.answer, "claimId");
    if (id !== undefined && !found.has(id)) found.set(id, call);
  }
  for (const call of traffic.done("listAccounts"))
    for (const account of listAt(call.answer, "data")) {
      const id = textAt(account, "id");
      if (id !== undefined && !found.has(id)) found.set(id, call);
    }
  return found;
});

/** A company reads or changes what another one owns. */
export function* foreignResources(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls) {
    const { description, operation, params, company, isCompanyKnown } = call;
    // A charge is refused for other reasons, too, and a token may only be another one of the same company.
    if (description === null || operation === null || call.status === 401) continue;
    const id = params["claimId"] ?? params["id"] ?? params["accountId"];
    const owner = id === undefined ? undefined : owners(traffic).get(id);
    if (owner === undefined || owner.company === company || company === "" || owner.company === "") continue;
    if (isDone(call) && !(isCompanyKnown && owner.isCompanyKnown)) continue;
    const expected = description.errors.includes("NOT_FOUND") ? "404 NOT_FOUND" : "400 INVALID_REQUEST";
    const found = `${call.status}${isDone(call) ? "" : ` ${textAt(call.answer, "error") ?? ""}`}`.trim();
    const known = found === expected ? "not-found" : call.status === 403 ? "forbidden" : undefined;
    if (isDone(call) || isRefused(call)) yield { is: known ?? `${operation} ${found}`, seen: [owner, call] };
  }
}
