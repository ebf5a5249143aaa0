import type { EntryPlace } from "../calibration/observers/traffic.ts";
import type { Operation } from "../../simulator/api/operations.ts";
import { type CompanyOf, companiesIn, tokenOf } from "../calibration/traffic-reader.ts";
import { matchOf } from "../calibration/requests.ts";
import { parsedBody, readEntry, type ReadEntry } from "../calibration/read-entry.ts";
import { at, textAt } from "../../simulator/engine/json.ts";

/** The maximum number of exchanges that are compared: months of a partner. */
const EXCHANGES_MAX = 60_000;

/** An exchange of a recorded file. */
interface Seen {
  readonly place: EntryPlace;
  readonly read: ReadEntry;
  readonly body: unknown;
}

/** A call of the platform API. */
export interface SeenCall extends Seen {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly company: string;
  readonly answer: unknown;
  /** True if the file shows that this call made a new object. False if it did not, or if that is unknown. */
  readonly isCarriedOut: boolean;
  /** True if the file shows that the caller got no answer, or the answer of a failure. */
  readonly isLost: boolean;
}

/** One attempt of a webhook. */
export interface SeenWebhook extends Seen {
  readonly event: string;
  /** The id of the object that it is about. */
  readonly objectId: string;
}

/** The calls and webhooks of one platform, in the order of their beginning. */
export interface SeenTraffic {
  readonly host: string | null;
  readonly calls: readonly SeenCall[];
  readonly webhooks: readonly SeenWebhook[];
  /** The number of entries that lack what a check needs, such as a body. Nothing is concluded from a gap. */
  readonly unknown: number;
  /** The number of entries of other hosts, and of entries that cannot be read. */
  readonly others: number;
}

/** Collects the entries of several files as one traffic. */
export class TrafficCollector {
  readonly #calls: {
    place: EntryPlace;
    read: ReadEntry;
    operation: Operation;
    params: SeenCall["params"];
  }[] = [];
  readonly #webhooks: Seen[] = [];
  #others = 0;
  /** The number of exchanges beyond the maximum. */
  left = 0;

  add(place: EntryPlace, value: unknown): void {
    const read = readEntry(value);
    const route = read && matchOf(read.method, read.url.pathname);
    if (read === undefined || (!read.isWebhook && route === undefined)) this.#others++;
    else if (this.#calls.length + this.#webhooks.length >= EXCHANGES_MAX) this.left++;
    else if (read.isWebhook) this.#webhooks.push({ place, read, body: parsedBody(read.requestText) });
    else if (route !== undefined) this.#calls.push({ place, read, ...route });
  }

  /** The hosts with calls of the platform API, the host with most calls first. */
  get hosts(): string[] {
    const byHost = Map.groupBy(this.#calls, ({ read }) => read.url.host);
    return Array.from(byHost)
      .toSorted(([, one], [, other]) => other.length - one.length)
      .map(([host]) => host);
  }

  /** Returns the traffic with the platform at `host`, or at the host with most calls. */
  finish(host = this.hosts[0]): SeenTraffic {
    const own = this.#calls.filter(({ read }) => read.url.host === host).toSorted(byTime);
    const webhooks = this.#webhooks.toSorted(byTime).flatMap(webhookOf);
    const parsedCalls = own.map((call) => ({
      ...call,
      body: parsedBody(call.read.requestText),
      answer: parsedBody(call.read.answerText),
    }));
    const companyOf = companiesIn(
      parsedCalls.map(({ operation, body, answer, read }) => ({
        call: {
          operation: operation.operationId,
          answer,
          body: body ?? Object.fromEntries(new URLSearchParams(read.requestText ?? "")),
        },
      })),
    );
    const calls = judged(parsedCalls, { companyOf, webhooks });
    const isUnknown = ({ read }: Seen): boolean =>
      read.requestText === undefined || (read.status === 0 && read.error === null);
    return {
      host: host ?? null,
      calls,
      webhooks,
      unknown:
        this.#webhooks.length -
        webhooks.length +
        calls.filter((call) => isUnknown(call) || call.read.answerText === undefined).length,
      others: this.#others + this.#calls.length - own.length,
    };
  }
}

function byTime(one: Pick<Seen, "read" | "place">, other: Pick<Seen, "read" | "place">): number {
  return one.read.startedAt - other.read.startedAt || one.place.index - other.place.index;
}

function webhookOf(seen: Seen): SeenWebhook[] {
  const event = textAt(seen.body, "event");
  const objectId = textAt(seen.body, "refundId") ?? textAt(seen.body, "data.id") ?? textAt(seen.body, "id");
  return event === undefined || objectId === undefined ? [] : [{ ...seen, event, objectId }];
}

/** Returns the name of an object on the client's system, in an answer or an event. */
export function externalIdIn(body: unknown): string | undefined {
  return (
    textAt(body, "data.externalId") ??
    textAt(body, "externalId") ??
    textAt(body, "order.externalId") ??
    textAt(body, "code")
  );
}

/**
 * Adds whether each call was carried out. A new id in a 2xx answer shows it. After a lost answer, only an event or a
 * later answer that names the object shows it.
 */
function judged(
  calls: readonly Omit<SeenCall, "company" | "isCarriedOut" | "isLost">[],
  { companyOf, webhooks }: { readonly companyOf: CompanyOf; readonly webhooks: readonly SeenWebhook[] },
): SeenCall[] {
  const ids = new Set<string>();
  const isAnswered = ({ read }: Pick<SeenCall, "read">): boolean => read.status >= 200 && read.status < 300;
  const named = new Set(
    [...webhooks.map(({ body }) => body), ...calls.filter(isAnswered).map(({ answer }) => answer)].flatMap(
      (body) => externalIdIn(body) ?? [],
    ),
  );
  return calls.map((call) => {
    const { read, operation, answer, body } = call;
    const id = textAt(answer, "id");
    const isNew = isAnswered(call) && id !== undefined && !ids.has(id);
    if (id !== undefined) ids.add(id);
    const isReplay = read.answerHeaders["idempotency-replayed"] === "true";
    const isLost = read.status >= 500 || (read.status === 0 && read.error !== null);
    const name = externalIdIn(body);
    const isMade = (isNew && !isReplay) || (isLost && name !== undefined && named.has(name));
    return {
      ...call,
      company: companyOf(tokenOf(read)).company,
      isCarriedOut: operation.creates === true && isMade,
      isLost,
    };
  });
}

/** Returns an amount with its currency. Undefined if the body has none. */
export function amountAt(body: unknown, path: string): string | undefined {
  const [currency, value] = [textAt(body, `${path}.currency`), at(body, `${path}.value`)];
  const number = Number(value);
  const isAmount = (typeof value === "string" || typeof value === "number") && Number.isFinite(number);
  return currency === undefined || !isAmount ? undefined : `${number.toFixed(2)} ${currency}`;
}
