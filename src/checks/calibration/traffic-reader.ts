import {
  type TrafficCall,
  type EntryPlace,
  Traffic,
  type Webhook,
  isDone,
  momentAt,
} from "./observers/traffic.ts";
import { at, textAt } from "../../simulator/engine/json.ts";
import { matchOf, requestOf } from "./requests.ts";
import { changesIn } from "./transitions.ts";
import { type ShapeFinding, ShapeFindings, checkAnswer, checkEvent } from "./shape.ts";
import { clockNote, platformClock } from "./clocks.ts";
import type { Operation } from "../../simulator/api/operations.ts";
import { type ReadEntry, parsedBody, readEntry, sizeOf } from "./read-entry.ts";
import { signatureOf, SIGNATURE_FIELD } from "../../simulator/api/signature.ts";

/** The limits of the stored traffic: enough for months of a partner, and small enough for any machine. */
const EXCHANGES_MAX = 60_000;
const CHARACTERS_MAX = 48_000_000;
/** Paths that the platform API does not have, by host. */
const UNKNOWN_PATHS_MAX = 200;
/** The maximum number of hosts that could be the platform. Calls to other hosts are only counted. */
const HOSTS_MAX = 1_000;
const OTHER_HOSTS = "";

/** The content of all files. */
export interface RecordedTraffic {
  readonly traffic: readonly Traffic[];
  readonly counts: {
    readonly calls: number;
    readonly webhooks: number;
    readonly otherHosts: number;
    /** Entries of the platform's host that are no calls of the platform API, such as `/sandbox/clock/advance`. */
    readonly otherPaths: number;
    readonly unreadable: number;
  };
  readonly shape: readonly ShapeFinding[];
  readonly host: string | null;
  /** From the first entry to the last, in milliseconds. */
  readonly spanMs: number;
  /** Sentences about the files. */
  readonly notes: readonly string[];
}

/** The facts of an exchange before its session is known. */
interface ReadExchange {
  readonly session: string;
  /**
   * True if the exchange is evidence about the platform: the platform answered, and no fault of a sandbox changed the
   * answer.
   */
  readonly isUsable: boolean;
  /** True if the session may lack an effect of this exchange. */
  readonly isMissing: boolean;
}

/** A call before the clock of the platform is known. */
interface ReadCall extends ReadExchange {
  readonly date: number | undefined;
  readonly token: string;
  readonly call: Omit<TrafficCall, "order" | "at" | "company" | "isCompanyKnown">;
}

interface ReadWebhook extends ReadExchange {
  readonly webhook: Omit<Webhook, "order" | "signedWith">;
  readonly header: string;
  readonly text: string;
  readonly noted: ReadEntry["signature"];
}

interface Host {
  readonly shape: ShapeFindings;
  readonly calls: ReadCall[];
  callCount: number;
  otherCount: number;
  unknownPaths: number;
}

/** The beginning of a platform path. */
const PLATFORM_PATH = /\/(?:order|public|oauth2)\/v\d|\/v1\/orders\//;

/** Collects the entries of recorded files and sorts them into the traffic of each session. */
export class TrafficReader {
  readonly #hosts = new Map<string, Host>();
  readonly #webhooks: ReadWebhook[] = [];
  /** The sessions with webhooks whose bodies are missing. */
  readonly #withBlanks = new Set<string>();
  readonly #bodiesMissing = { requests: 0, answers: 0, webhooks: 0 };
  readonly #eventShape = new ShapeFindings();
  readonly #secrets: Set<string>;
  #webhookCount = 0;
  #unreadable = 0;
  /** The entries whose time is a number, which HAR does not allow. */
  #numericTimes = 0;
  #exchanges = 0;
  #characters = 0;
  #left = 0;
  #first = Infinity;
  #last = -Infinity;

  constructor({ secrets }: { readonly secrets: readonly string[] }) {
    this.#secrets = new Set(secrets);
  }

  /** Takes one entry of a file. */
  add(entry: EntryPlace, value: unknown): void {
    const read = readEntry(value);
    if (read === undefined) {
      this.#unreadable++;
      if (typeof at(value, "startedDateTime") === "number") this.#numericTimes++;
      return;
    }
    if (read.isWebhook) this.#addWebhook(entry, read);
    else this.#addCall(entry, read);
  }

  /** Returns the traffic of each session. The platform is at `host`, or at the host with most calls of the platform API. */
  finish(host?: string): RecordedTraffic {
    const chosen = host ?? this.hosts[0];
    const platform = chosen === undefined ? undefined : this.#hosts.get(chosen);
    const calls = platform?.calls ?? [];
    const bySession = Map.groupBy([...calls, ...this.#webhooks], ({ session }) => session);
    const companyOf = companiesIn(calls);
    const notes: string[] = [];
    const traffic = Array.from(bySession, ([session, exchanges]) => {
      const { built, note } = this.#session(exchanges, { companyOf, session });
      if (note !== undefined && !notes.includes(note)) notes.push(note);
      return built;
    });
    notes.push(...this.#missingNote());
    if (this.#numericTimes > 0)
      notes.push(
        `Entries with a number as startedDateTime are not used: ${this.#numericTimes}. HAR 1.2 needs a text such as "2026-11-20T09:00:00.000Z". Write the times as texts.`,
      );
    const signed = this.#webhooks.filter(({ header, isUsable }) => header !== "" && isUsable);
    const doubtful = signed.filter((webhook) => this.#signerOf(webhook) === null).length;
    if (doubtful > 0)
      notes.push(
        `The signatures of ${doubtful} of ${signed.length} webhooks are not verified: no known secret fits. Give the secret with --secret.`,
      );
    if (this.#left > 0)
      notes.push(
        `${this.#left} exchanges are only counted, because memory is used for at most ${this.#exchanges} exchanges.`,
      );
    const left = (platform?.shape.left ?? 0) + this.#eventShape.left;
    if (left > 0) notes.push(`${left} further differences from the described shapes are not listed.`);
    const others = Array.from(this.#hosts).filter(([name]) => name !== chosen);
    return {
      traffic,
      counts: {
        calls: platform?.callCount ?? 0,
        webhooks: this.#webhookCount,
        otherHosts: others.reduce((sum, [, other]) => sum + other.callCount + other.otherCount, 0),
        otherPaths: platform?.otherCount ?? 0,
        unreadable: this.#unreadable,
      },
      shape: [...(platform?.shape.all ?? []), ...this.#eventShape.all],
      host: chosen ?? null,
      spanMs: Math.max(0, this.#last - this.#first),
      notes,
    };
  }

  /** The hosts with calls of the platform API, the host with most calls first. */
  get hosts(): readonly string[] {
    return Array.from(this.#hosts)
      .filter(([name, { callCount }]) => callCount > 0 && name !== OTHER_HOSTS)
      .toSorted(([, one], [, other]) => other.callCount - one.callCount)
      .map(([name]) => name);
  }

  #hasPlaceFor(characters: number): boolean {
    if (this.#exchanges >= EXCHANGES_MAX || this.#characters + characters > CHARACTERS_MAX) {
      this.#left++;
      return false;
    }
    this.#exchanges++;
    this.#characters += characters;
    return true;
  }

  #addCall(entry: EntryPlace, read: ReadEntry): void {
    const { method, url } = read;
    const host = this.#hostOf(url.host);
    const route = method === "OPTIONS" ? undefined : matchOf(method, url.pathname);
    if (route === undefined && (!PLATFORM_PATH.test(url.pathname) || method === "OPTIONS")) {
      host.otherCount++;
      return;
    }
    this.#moment(read);
    host.callCount++;
    if (host === this.#hosts.get(OTHER_HOSTS)) return;
    if (route === undefined && host.unknownPaths++ >= UNKNOWN_PATHS_MAX) return;
    const { requestText, answerText } = read;
    const isBlank = this.#isBlank(route?.operation, read);
    const answer = parsedBody(answerText);
    const secret = textAt(answer, "secret");
    if (secret !== undefined && /Webhook/.test(route?.operation.operationId ?? "") && isDone(read))
      this.#secrets.add(secret);
    const isAnswered = read.status > 0 && !read.isInjected && !(read.status === 502 && read.error !== null);
    const isUsable = isAnswered && !isBlank;
    if (route !== undefined && isAnswered && answerText !== undefined)
      checkAnswer(
        { operation: route.operation, status: read.status, answer, text: answerText, entry },
        host.shape,
      );
    if (!this.#hasPlaceFor(sizeOf(read, answerText ?? "", answer) + (requestText ?? "").length)) return;
    const token = tokenOf(read);
    const dated = Date.parse(read.answerHeaders["date"] ?? "");
    host.calls.push({
      session: `${entry.file}\n${read.world}`,
      date: Number.isNaN(dated) ? undefined : dated,
      token,
      isUsable,
      isMissing: !isUsable && method !== "GET",
      call: {
        entry,
        operation: route?.operation.operationId ?? null,
        description: route?.operation ?? null,
        method,
        params: route?.params ?? {},
        idempotencyKey: read.requestHeaders["idempotency-key"] ?? null,
        ...requestOf(route?.operation, read, route?.params ?? {}),
        status: read.status,
        answerHeaders: read.answerHeaders,
        hasRequestHeaders: read.hasRequestHeaders,
        hasAnswerHeaders: read.hasAnswerHeaders,
        answer,
        recorded: { from: read.startedAt, to: read.endedAt },
        precisionMs: read.precisionMs,
      },
    });
  }

  #addWebhook(entry: EntryPlace, read: ReadEntry): void {
    this.#moment(read);
    this.#webhookCount++;
    const session = `${entry.file}\n${read.world}`;
    if (read.requestText === undefined) {
      this.#bodiesMissing.webhooks++;
      this.#withBlanks.add(session);
      return;
    }
    const { requestText: text } = read;
    const body = parsedBody(text);
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      this.#unreadable++;
      return;
    }
    const header = read.requestHeaders[SIGNATURE_FIELD] ?? "";
    const isUsable = !read.isInjected;
    const event = textAt(body, "event") ?? "";
    const hasSignature = header !== "" || !read.hasRequestHeaders;
    if (isUsable) checkEvent({ event, body, hasSignature, entry }, this.#eventShape);
    if (!this.#hasPlaceFor(sizeOf(read, text, body))) return;
    const occurred = momentAt(body, "occurredAt") ?? momentAt(body, "updatedAt");
    this.#webhooks.push({
      session,
      header,
      text: read.signature === undefined && header !== "" ? Buffer.from(text).toString() : "",
      noted: read.signature,
      isUsable,
      isMissing: false,
      webhook: {
        entry,
        url: read.url.href,
        event,
        body: body as Readonly<Record<string, unknown>>,
        status: read.status,
        answer: parsedBody(read.answerText),
        at: occurred,
        recorded: { from: read.startedAt, to: read.endedAt },
        precisionMs: read.precisionMs,
        lateMs: read.lateMs,
        error: read.error,
        isByHand: read.isByHand,
      },
    });
  }

  /** Counts the bodies of a call that are not in the file, and returns true if there are any. */
  #isBlank(operation: Operation | undefined, { requestText, answerText, status }: ReadEntry): boolean {
    const isRequestMissing = requestText === undefined && operation?.request !== undefined;
    const isAnswerMissing = answerText === undefined && operation !== undefined && status > 0;
    if (isRequestMissing) this.#bodiesMissing.requests++;
    if (isAnswerMissing) this.#bodiesMissing.answers++;
    return isRequestMissing || isAnswerMissing;
  }

  /** Says how many bodies the files do not have. */
  #missingNote(): string[] {
    const { requests, answers, webhooks } = this.#bodiesMissing;
    const count = requests + answers + webhooks;
    if (count === 0) return [];
    const parts = Object.entries({ requests, answers, webhooks }).flatMap(([name, number]) =>
      number === 0 ? [] : [`${number} of ${name}`],
    );
    const what = count === 1 ? "1 body is" : `${count} bodies are`;
    return [`${what} missing or cut off (${parts.join(", ")}). An exchange without its body is not used.`];
  }

  #hostOf(given: string): Host {
    const name = this.#hosts.size >= HOSTS_MAX && !this.#hosts.has(given) ? OTHER_HOSTS : given;
    const known = this.#hosts.get(name);
    const host = known ?? {
      shape: new ShapeFindings(),
      calls: [],
      callCount: 0,
      otherCount: 0,
      unknownPaths: 0,
    };
    this.#hosts.set(name, host);
    return host;
  }

  #moment({ startedAt, endedAt, precisionMs }: ReadEntry): void {
    this.#first = Math.min(this.#first, startedAt);
    this.#last = Math.max(this.#last, endedAt - precisionMs);
  }

  #session(
    exchanges: readonly (ReadCall | ReadWebhook)[],
    { companyOf, session }: { readonly companyOf: CompanyOf; readonly session: string },
  ): { readonly built: Traffic; readonly note: string | undefined } {
    const ordered = exchanges.toSorted(
      (one, other) =>
        seenIn(one).recorded.from - seenIn(other).recorded.from ||
        seenIn(one).entry.index - seenIn(other).entry.index,
    );
    const answers = ordered.flatMap((exchange) =>
      "call" in exchange && exchange.isUsable
        ? [{ recorded: exchange.call.recorded, date: exchange.date }]
        : [],
    );
    const arrived = ordered.flatMap((exchange) =>
      "webhook" in exchange && exchange.isUsable ? [exchange.webhook] : [],
    );
    const clock = platformClock(answers, arrived);
    const calls: TrafficCall[] = [];
    const webhooks: Webhook[] = [];
    for (const [order, exchange] of ordered.entries()) {
      if (!exchange.isUsable) continue;
      if ("webhook" in exchange) {
        webhooks.push({ ...exchange.webhook, order, signedWith: this.#signerOf(exchange) });
        continue;
      }
      const { date, token, call } = exchange;
      calls.push({ ...call, order, ...companyOf(token), at: clock.at({ recorded: call.recorded, date }) });
    }
    const changes = changesIn(calls, webhooks);
    const missing = {
      calls: exchanges.some(({ isMissing }) => isMissing),
      webhooks: this.#withBlanks.has(session),
    };
    const built = new Traffic({ calls, webhooks, changes, clocks: clock.state, missing });
    return { built, note: clockNote(session.split("\n")[0] ?? "", clock) };
  }

  #signerOf({ header, text, noted }: ReadWebhook): string | null {
    if (noted !== undefined) return noted.fits ? (noted.secret ?? "") : null;
    if (header === "") return null;
    const bytes = Buffer.from(text);
    return this.#secrets.values().find((secret) => signatureOf(secret, bytes) === header.trim()) ?? null;
  }
}

/** Returns the token of a call. Empty if the call has none. */
export function tokenOf({ requestHeaders }: Pick<ReadEntry, "requestHeaders">): string {
  return /^bearer +(\S+)/i.exec(requestHeaders["authorization"] ?? "")?.[1] ?? "";
}

function seenIn(exchange: ReadCall | ReadWebhook): Pick<TrafficCall | Webhook, "entry" | "recorded"> {
  return "call" in exchange ? exchange.call : exchange.webhook;
}

/** Returns the company of a token. All tokens of one client belong to one company. */
export type CompanyOf = (token: string) => Pick<TrafficCall, "company" | "isCompanyKnown">;

export function companiesIn(
  calls: readonly { readonly call: Pick<TrafficCall, "operation" | "answer" | "body"> }[],
): CompanyOf {
  const clients = new Map<string, string>();
  for (const { call } of calls) {
    const token = textAt(call.answer, "access_token");
    const client = textAt(call.body, "client_id");
    if (call.operation === "issueToken" && token !== undefined && client !== undefined)
      clients.set(token, client);
  }
  return (token) => ({ company: clients.get(token) ?? token, isCompanyKnown: clients.has(token) });
}
