import { type TrafficCall, type Traffic, isDone, isRefused } from "./traffic.ts";
import { at, isRecord, listAt, textAt } from "../../../simulator/engine/json.ts";
import { type Check, type Found, type Observers, SHAPE, derived, either, observer } from "./observer.ts";
import { errorStatuses } from "../../../simulator/api/operations.ts";

/** Of HTTP, authentication and tenancy. */
export const httpObservers: Observers = {
  "http.statuses": observer("The status of every answer, by operation and by error code.", statuses),
  "http.statuses-of-actions": observer("The status of resend, cancel, confirm and rotate.", ({ calls }) =>
    calls
      .filter((call) => isDone(call) && isAction(call))
      .map((call) => ({ is: String(call.status), of: call.operation, seen: [call] })),
  ),
  "http.error-bodies": observer("The form of refusals of payouts and transparent orders.", (traffic) =>
    traffic
      .of("createPayout", "createTransparentOrder", "createTransparentOrderV3")
      .filter(isRefused)
      .flatMap((call) => errorForm(call, "common")),
  ),
  "http.versions": "The name of a header that chooses a version is not known, so it cannot be tried.",
  "auth.token-endpoint": SHAPE,
  "auth.token-ttl": observer("expires_in of an issued token.", (traffic) =>
    traffic.done("issueToken").flatMap((call) => {
      const ms = Number(at(call.answer, "expires_in")) * 1000;
      return Number.isFinite(ms) && ms > 0 ? [{ from: ms, to: ms, seen: [call] }] : [];
    }),
  ),
  "auth.header": observer("The header of a 401.", ({ calls }) =>
    calls
      .filter(({ status, description }) => status === 401 && description !== null)
      .filter(({ description, hasAnswerHeaders }) => description?.errorForm !== "oauth" && hasAnswerHeaders)
      .map((call) => {
        const header = call.answerHeaders["www-authenticate"];
        const found = header === undefined ? "401 has no www-authenticate" : `it has ${header}`;
        const isBearer = /^bearer\b/i.test(header ?? "");
        return either(isBearer, ["401 has www-authenticate: Bearer", found], [call]);
      }),
  ),
  "auth.scope-elsewhere": observer(
    "The answers to a token on other operations, if an operation that names its scope answers it with 403.",
    scopes,
  ),
  "auth.errors-everywhere": observer("The form of every 401 and 403.", ({ calls }) =>
    calls
      .filter(({ status }) => status === 401 || status === 403)
      .flatMap((call) => {
        const form = call.description?.errorForm;
        return form === "common" || form === "sentences" ? errorForm(call, form) : [];
      }),
  ),
  "tenancy.foreign-resource": observer(
    "Calls with an id that another company was seen to own.",
    foreignResources,
  ),
  "refund.error-bodies": observer("The form of refusals of refunds.", (traffic) =>
    traffic
      .of("refundOrder")
      .filter((call) => isRefused(call) || call.status === 401)
      .flatMap((call) => errorForm(call, "sentences")),
  ),
};

/** Returns true for a POST that answers 200. Such a call creates no object. */
function isAction({ description }: TrafficCall): boolean {
  return (
    description?.method === "POST" && description.successStatus === 200 && description.errorForm !== "oauth"
  );
}

function* statuses({ calls }: Traffic): Iterable<Found> {
  for (const call of calls) {
    const { description, operation, status } = call;
    if (description === null || isAction(call)) continue;
    const code = textAt(call.answer, "error") ?? "";
    const expected = isDone(call) ? description.successStatus : (ERROR_STATUSES[code] ?? status);
    if (isDone(call) && expected === 201) yield { is: `created-${status}`, of: operation, seen: [call] };
    else if (status !== expected) yield { is: `${isDone(call) ? operation : code} ${status}`, seen: [call] };
  }
}

const ERROR_STATUSES: Readonly<Record<string, number>> = errorStatuses;

const FORMS = { common: "{error, message, details}", sentences: "an array of sentences" } as const;

/** Compares the form of a refusing answer. Empty if the answer is not JSON. */
function errorForm({ operation, answer, entry }: TrafficCall, form: keyof typeof FORMS): Check[] {
  if (answer === undefined) return [];
  const name = operation ?? "";
  return [
    {
      aspect: name,
      expected: `${name} ${FORMS[form]}`,
      found: `${name} ${formOf(answer)}`,
      seen: [{ entry }],
    },
  ];
}

function formOf(answer: unknown): string {
  if (["error", "message", "details"].every((name) => at(answer, name) !== undefined)) return FORMS.common;
  if (isRecord(answer)) return `{${Object.keys(answer).join(", ")}}`;
  if (!Array.isArray(answer)) return "text";
  return answer.every((sentence) => typeof sentence === "string") ? FORMS.sentences : "an array";
}

/** Operations that any token reaches if they need no scope, for any request. */
const UNSCOPED: ReadonlySet<string> = new Set([
  "listAccounts",
  "getAccountBalance",
  "getWebhook",
  "listUndeliveredEvents",
  "listDepositBanks",
]);

function* scopes(traffic: Traffic): Iterable<Found> {
  for (const [company, calls] of Map.groupBy(traffic.calls, (call) => call.company)) {
    // Without a token, these are the calls of several companies.
    if (company === "") continue;
    const scoped = calls.filter(({ description }) => description?.scoped === true);
    // A subscription is forbidden for its account, too.
    const refused = scoped.find(
      ({ status, operation, answer }) =>
        status === 403 && (operation !== "createSubscription" || /scope/i.test(JSON.stringify(answer))),
    );
    if (refused === undefined || scoped.some(isDone)) continue;
    for (const call of calls)
      if (UNSCOPED.has(call.operation ?? "") && (call.status === 403 || isDone(call)))
        yield { is: call.status === 403, of: call.operation, seen: [refused, call] };
  }
}

/** Maps each account, by its id, to the call that showed its owner. */
export const accountOwners = derived((traffic: Traffic): ReadonlyMap<string, TrafficCall> => {
  const found = new Map<string, TrafficCall>();
  for (const call of traffic.done("listAccounts"))
    for (const account of listAt(call.answer, "data")) {
      const id = textAt(account, "id");
      if (id !== undefined && !found.has(id)) found.set(id, call);
    }
  return found;
});

/** Maps each id in an answer to the call that created it. */
const owners = derived((traffic: Traffic): ReadonlyMap<string, TrafficCall> => {
  const found = new Map(accountOwners(traffic));
  for (const call of traffic.calls.filter(isDone).toReversed()) {
    const id = textAt(call.answer, "id") ?? textAt(call.answer, "claimId");
    if (id !== undefined && call.method !== "GET") found.set(id, call);
  }
  return found;
});

function* foreignResources(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.calls) {
    const { description, operation, params, company, isCompanyKnown } = call;
    if (description === null || call.status === 401) continue;
    const id = params["claimId"] ?? params["id"] ?? params["accountId"];
    const owner = id === undefined ? undefined : owners(traffic).get(id);
    if (owner === undefined || owner.company === company || company === "" || owner.company === "") continue;
    // A token may only be another one of the same company.
    if (isDone(call) ? !(isCompanyKnown && owner.isCompanyKnown) : !isRefused(call)) continue;
    const expected = description.errors.includes("NOT_FOUND") ? "404 NOT_FOUND" : "400 INVALID_REQUEST";
    const found = `${call.status}${isDone(call) ? "" : ` ${textAt(call.answer, "error") ?? ""}`}`.trim();
    const known = found === expected ? "not-found" : call.status === 403 ? "forbidden" : undefined;
    yield { is: known ?? `${operation} ${found}`, of: operation, seen: [owner, call] };
  }
}
