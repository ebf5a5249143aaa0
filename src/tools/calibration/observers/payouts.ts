import {
  type Call,
  type Traffic,
  type Webhook,
  at,
  centsAt,
  createdAt,
  detailsOf,
  isDone,
  isRefused,
  listAt,
  textAt,
} from "./traffic.ts";
import { type Found, type Pair, derived, instant } from "./observer.ts";
import { readFields, crc16 } from "../../../countries/brazil/emv.ts";

/** A payout that the partner created, with its final event. */
interface SeenPayout {
  readonly call: Call;
  readonly method: string;
  readonly ended: Webhook | undefined;
}

/** The payouts of a session. */
export const payouts = derived((traffic: Traffic): readonly SeenPayout[] => {
  // The first of its events ends a payout; what follows is about money that came back, or went after all.
  const events = new Map(
    traffic
      .named("ORDER-PAYOUT.*")
      .toReversed()
      .map((event) => [textAt(event.body, "id"), event]),
  );
  const seen = new Set<string>();
  return traffic.done("createPayout").flatMap((call) => {
    const id = textAt(call.answer, "id") ?? "";
    if (seen.has(id)) return [];
    seen.add(id);
    return [{ call, method: textAt(call.body, "paymentMethod") ?? "", ended: events.get(id) }];
  });
});

/** A payout whose end nobody forced. */
export function* settled(
  traffic: Traffic,
  method: string,
): Iterable<SeenPayout & { readonly ended: Webhook; readonly endedAt: number }> {
  for (const payout of payouts(traffic)) {
    const { ended } = payout;
    if (payout.method === method && ended?.at !== undefined && !ended.isByHand)
      yield { ...payout, ended, endedAt: ended.at };
  }
}

/** From the creation of a PIX payout to its end. */
export function* pixSettling(traffic: Traffic): Iterable<Pair> {
  for (const { call, ended, endedAt } of settled(traffic, "PIX"))
    yield { from: createdAt(call), to: instant(endedAt), seen: [call, ended] };
}

const RETURNS: Readonly<Record<string, string>> = {
  "ORDER-PAYOUT.CANCELED": "canceled-event",
  "ORDER-PAYOUT.ERROR": "error-event",
};

/** Payouts that came back after they were paid. */
export function* returns(traffic: Traffic): Iterable<Found> {
  for (const { call, ended } of payouts(traffic)) {
    if (ended?.event !== "ORDER-PAYOUT.PAID") continue;
    const id = textAt(ended.body, "id");
    const back = traffic
      .named(...Object.keys(RETURNS))
      .find((event) => textAt(event.body, "id") === id && event.order > ended.order);
    if (back !== undefined) yield { is: RETURNS[back.event], seen: [call, ended, back] };
  }
}

/** A balance that was read longer ago may be another one. */
const READ_MS_MAX = 60_000;

const balanceReads = derived((traffic: Traffic) =>
  Map.groupBy(traffic.done("getAccountBalance"), ({ params }) => params["accountId"]),
);

/** The balance right before a payout above it: it was read, and nothing is known to have happened since. */
function lowerBalance(traffic: Traffic, call: Call): Call | undefined {
  const reads = balanceReads(traffic).get(textAt(call.body, "accountId"));
  const read = reads?.findLast(({ order }) => order < call.order);
  const cents = centsAt(read?.answer, "balance.value");
  if (read === undefined || cents === undefined || call.at.to - read.at.from > READ_MS_MAX) return undefined;
  if ((centsAt(call.body, "amount.value") ?? 0) <= cents) return undefined;
  const isSince = ({ order }: { readonly order: number }): boolean =>
    order > read.order && order < call.order;
  const isDisturbed =
    traffic.events.some(isSince) || traffic.calls.some((other) => isSince(other) && other.method !== "GET");
  return isDisturbed ? undefined : read;
}

const ABOVE_BALANCE: Readonly<Record<string, string>> = {
  "400 INVALID_REQUEST INSUFFICIENT_BALANCE": "invalid",
  "403 FORBIDDEN_ERROR no issue": "forbidden",
};

/** Payouts above the balance that was read last. */
export function* aboveBalance(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout")) {
    const read = isDone(call) ? lowerBalance(traffic, call) : undefined;
    if (read !== undefined) yield { is: "it is accepted", seen: [read, call] };
    const issue = detailsOf(call).find(({ field }) => field === "amount.value")?.issue;
    if (isRefused(call) && /BALANCE/i.test(JSON.stringify(call.answer))) {
      const found = `${call.status} ${textAt(call.answer, "error") ?? ""} ${issue ?? "no issue"}`;
      yield { is: ABOVE_BALANCE[found] ?? found, seen: [call] };
    }
  }
}

const UNUSABLE: Readonly<Record<string, string>> = {
  "403 FORBIDDEN_ERROR": "forbidden",
  "400 INVALID_REQUEST": "invalid",
};

/** Payouts from an account that another company was seen to own. */
export function* foreignAccounts(traffic: Traffic): Iterable<Found> {
  const owners = new Map<string, Call>();
  for (const call of traffic.done("listAccounts"))
    for (const account of listAt(call.answer, "data")) {
      const id = textAt(account, "id");
      if (id !== undefined && !owners.has(id)) owners.set(id, call);
    }
  for (const call of traffic.of("createPayout")) {
    const owner = owners.get(textAt(call.body, "accountId") ?? "");
    if (
      owner === undefined ||
      owner.company === call.company ||
      !isRefused(call) ||
      call.requestProblems.length > 0
    )
      continue;
    const found = `${call.status} ${textAt(call.answer, "error") ?? ""}`;
    yield { is: UNUSABLE[found] ?? found, seen: [owner, call] };
  }
}

/** A QR code of a request by its fields; undefined where it cannot be read. */
export function codeOf(call: Call): ReadonlyMap<string, string> | undefined {
  const text = textAt(call.body, "paymentData.qrcodeData") ?? "";
  try {
    const fields = readFields(text, "the code");
    return fields.size > 0 && crc16(text.slice(0, -4)) === fields.get("63")?.toUpperCase()
      ? fields
      : undefined;
  } catch {
    return undefined;
  }
}

const DOCUMENT = /^(\d{11}|[0-9A-Z]{12}\d{2})$/;

/** The document of a receiver who is not the owner of the key. */
export function* otherReceivers(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout")) {
    const key = textAt(call.body, "paymentData.pixKey");
    const document = textAt(call.body, "receiver.document.number");
    if (document === undefined || at(call.body, "paymentData.bankAccount") !== undefined) continue;
    if (isRefused(call) && isMismatch(call)) yield { is: "reject", seen: [call] };
    const ended = payouts(traffic).find((payout) => payout.call === call)?.ended;
    const isOther = key !== undefined && DOCUMENT.test(key) && key !== document;
    const isFailed = ended?.event === "ORDER-PAYOUT.ERROR" && !ended.isByHand;
    if (ended !== undefined && isFailed && (isOther || /\bBE01\b/.test(textAt(ended.body, "message") ?? "")))
      yield { is: "accept-then-error", seen: [call, ended] };
  }
}

function isMismatch(call: Call): boolean {
  return (
    call.requestProblems.length === 0 &&
    detailsOf(call).some(
      ({ field, issue, description }) =>
        field.startsWith("receiver.document") && (issue === "MISMATCH" || /owner/i.test(description)),
    )
  );
}

/** Payouts to keys that nobody has. */
export function* unknownKeys(traffic: Traffic): Iterable<Found> {
  for (const call of traffic.of("createPayout")) {
    if (textAt(call.body, "paymentData.pixKey") === undefined) continue;
    const details = detailsOf(call);
    const isUnknown = ({ field, issue, description }: (typeof details)[number]): boolean =>
      field === "paymentData.pixKey" &&
      (/UNKNOWN|NOT_FOUND/.test(issue) || /not registered|not exist/i.test(description));
    if (isRefused(call) && details.some(isUnknown)) yield { is: "reject", seen: [call] };
    const ended = payouts(traffic).find((payout) => payout.call === call)?.ended;
    const message = textAt(ended?.body, "message") ?? "";
    if (
      ended?.event === "ORDER-PAYOUT.ERROR" &&
      !ended.isByHand &&
      /key .*(not registered|not exist|unknown)|no key/i.test(message)
    )
      yield { is: "accept-then-error", seen: [call, ended] };
  }
}
