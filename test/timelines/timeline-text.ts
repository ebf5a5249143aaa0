import type { JournalEntry } from "../../src/simulator/engine/journal.ts";

/**
 * The normalised timeline of one world as plain text: what happened, in journal order, without ids, bodies and
 * sentences. It is meant to survive a redesign of the code behind it, so it depends only on:
 *
 * - journal entries: `at`, `cause.by`, `cause.name`, and `collection`, `id`, `before`, `after` of each change;
 * - records: `status`, if it is a string;
 * - records in the collection of webhook deliveries: `event`, `objectId`, `duplicateOf`, `attempts`, and of each
 *   attempt `number`, `trigger`, `at`, `status`, `error`, `injected`;
 * - HTTP: methods, paths, statuses and the bodies of plans, faults and clock moves under `/sandbox`, and the
 *   entries of `GET /sandbox/ledger`.
 */
export class TimelineText {
  readonly #operations: readonly Operation[];
  readonly #lines: string[] = [];
  /** The last request. */
  #title: string | undefined;
  /** The name of each record by its id, such as `order 1`, and how many there are by kind. */
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** `operations` are those of the platform API, by operationId. */
  constructor(operations: Readonly<Record<string, { readonly method: string; readonly path: string }>>) {
    this.#operations = Object.entries(operations).map(([id, { method, path }]) => ({
      id,
      method,
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
  }

  /**
   * Notes a request before it is made; the function it returns takes the status of the answer. The line stays
   * above all that the request caused.
   */
  asked(method: string, path: string, body: unknown): (status: number) => void {
    const title = this.#titleOf(method, path.split("?")[0] ?? path, body);
    if (title === undefined) return () => undefined;
    const place = this.#lines.push(`${title}: no answer`) - 1;
    this.#title = title;
    return (status) => {
      this.#lines[place] = `${title}: ${status}`;
    };
  }

  /** Notes a journal entry: changes of status first, then events, then attempts, the latter two in their order. */
  entered({ at, cause, changes }: JournalEntry): void {
    const statuses = new Map<string, string[]>();
    const events: string[] = [];
    const attempts: [webhook: string, attempt: AttemptRecord][] = [];
    for (const { collection, id, before, after } of changes as readonly RecordChange[]) {
      if (typeof (after ?? before)?.status !== "string") continue;
      const name = this.#nameOf(collection, id);
      const path = statuses.get(name) ?? [before?.status ?? "new"];
      const status = after?.status ?? "gone";
      if (path.at(-1) !== status) path.push(status);
      statuses.set(name, path);
      if (collection !== DELIVERIES || after === undefined) continue;
      const { attempts: made } = after as DeliveryRecord;
      const attemptsBefore = (before as DeliveryRecord | undefined)?.attempts.length ?? 0;
      if (before === undefined) events.push(`${name}: ${this.#eventOf(after as DeliveryRecord)}`);
      for (const attempt of made.slice(attemptsBefore)) attempts.push([name, attempt]);
    }
    // The fixtures of a new world are the same for all scenarios: they get names and no lines.
    if (cause.by === "control" && cause.name === "start") return;
    const attemptLines = attempts.map(([webhook, attempt]) => {
      const status = statuses.get(webhook)?.slice(1).at(-1);
      statuses.delete(webhook);
      return `${webhook}: ${attemptText(attempt, at)}${status === undefined ? "" : `; now ${status}`}`;
    });
    const changed = Array.from(statuses)
      .filter(([, path]) => path.length > 1 && path.join() !== "new,scheduled")
      .map(([name, path]) => `${name}: ${path.join(" → ")}`)
      .toSorted(inNumericOrder.compare);
    const why = `${cause.by} ${cause.name}`;
    const suffix = why === this.#title || attempts.length > 0 ? "" : `  (${why})`;
    for (const line of [...changed, ...events, ...attemptLines])
      this.#lines.push(`  ${timeText(at)}  ${line}${suffix}`);
  }

  /** Notes the movements of money: the ledger's entries at the end of the run. */
  booked(entries: readonly LedgerEntry[]): void {
    if (entries.length > 0) this.#lines.push("money");
    for (const { at, objectId, postings } of entries) {
      const parts = postings.map(
        ({ account, currency, value }) => `${this.#named(account)} ${value} ${currency}`,
      );
      this.#lines.push(`  ${timeText(Date.parse(at))}  ${this.#nameOfId(objectId)}: ${parts.join(", ")}`);
    }
  }

  /** Everything noted so far, one line each. */
  text(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }

  #titleOf(method: string, path: string, body: unknown): string | undefined {
    const { by, to, until, effect, plan, outcomes } = (body ?? {}) as ControlBody;
    if (!path.startsWith("/sandbox/")) {
      const operation = this.#operations.find((one) => one.method === method && one.path.test(path));
      return `call ${operation?.id ?? `${method} ${this.#named(path)}`}`;
    }
    // Reads, and the runner's own wait for webhooks in flight, are no part of the timeline.
    if (method === "GET" || (path === "/sandbox/clock/advance" && by === "PT0S")) return undefined;
    if (path === "/sandbox/clock/advance") return `advance ${by ?? to ?? `until ${until}`}`;
    if (path === "/sandbox/faults") return `fault ${effect}`;
    if (path === "/sandbox/plans") return `plan ${plan} ${outcomes?.join(", ")}`;
    if (path.startsWith("/sandbox/acts/")) return `act ${path.slice("/sandbox/acts/".length)}`;
    return `${method} ${this.#named(path)}`;
  }

  #eventOf({ event, objectId, duplicateOf }: DeliveryRecord): string {
    const copy = duplicateOf === null ? "" : `, a copy of ${this.#nameOfId(duplicateOf)}`;
    return `${event} about ${this.#nameOfId(objectId)}${copy}`;
  }

  #nameOf(collection: string, id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const kind = KINDS[collection] ?? collection.replace(/s$/, "").replaceAll("-", " ");
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(id, `${kind} ${count}`);
    return `${kind} ${count}`;
  }

  #nameOfId(id: string): string {
    return this.#names.get(id) ?? "an object without a status";
  }

  /** A text with every id in it replaced by the name of its record. */
  #named(text: string): string {
    return text
      .split(/([/:])/)
      .map((part) => this.#names.get(part) ?? part)
      .join("");
  }
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
}

/** The fields of control requests that are shown. */
interface ControlBody {
  readonly by?: string;
  readonly to?: string;
  readonly until?: string;
  readonly effect?: string;
  readonly plan?: string;
  readonly outcomes?: readonly string[];
}

interface RecordChange {
  readonly collection: string;
  readonly id: string;
  readonly before?: { readonly status?: string };
  readonly after?: { readonly status?: string };
}

interface DeliveryRecord {
  readonly event: string;
  readonly objectId: string;
  readonly duplicateOf: string | null;
  readonly attempts: readonly AttemptRecord[];
}

interface AttemptRecord {
  readonly number: number;
  readonly trigger: string;
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly injected: readonly string[];
}

/** An entry of `GET /sandbox/ledger`. */
export interface LedgerEntry {
  readonly at: string;
  readonly objectId: string;
  readonly postings: readonly {
    readonly account: string;
    readonly currency: string;
    readonly value: string;
  }[];
}

const DELIVERIES = "webhook-deliveries";

/** The name of a record, where it is not the collection's name without its last letter. */
const KINDS: Readonly<Record<string, string>> = { [DELIVERIES]: "webhook", companies: "company" };

const inNumericOrder = new Intl.Collator("en", { numeric: true });

function attemptText(
  { number, trigger, at, status, error, injected }: AttemptRecord,
  endedAt: number,
): string {
  const outcome = [status, error].filter((part) => part !== null).join(" ");
  const opened = at === endedAt ? "" : `, sent ${timeText(at)}`;
  const touched = injected.length === 0 ? "" : `, injected ${injected.join(", ")}`;
  return `attempt ${number} (${trigger}) ${outcome}${opened}${touched}`;
}

/** An instant on the clocks of Brasília, to the millisecond where it has any. */
function timeText(at: number): string {
  const [date, time = ""] = new Date(at - 3 * 3_600_000).toISOString().split("T");
  return `${date} ${time.replace(/(\.000)?Z$/, "")}`;
}
