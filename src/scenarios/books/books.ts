import { CommandFailure } from "../../base/failures.ts";
import type { AccountBooks, BooksQuery } from "../../simulator/api/generated/shapes.ts";
import type { BooksSettings } from "../scenario.ts";
import { minorOf, shownValue, sumsOf, valuesAt, written } from "./amounts.ts";
import type { BooksFinding } from "./finding.ts";
import { type KnownFacts, differingEntryOf, TOTALS } from "./differing-entry.ts";
import { inWords } from "../result.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import type { Reading } from "../../partner/partner-state.ts";
import { rowProblems } from "./rows.ts";
import type { Session } from "../session.ts";
import { StepFailure } from "../step-failure.ts";

/** The last moment of agreement. */
interface Agreement {
  readonly entry: number;
  readonly at: string;
  /** The partner's value. Only for sums. */
  readonly shown: string | undefined;
  /** The difference at the first booking since then. */
  difference?: KnownFacts;
}

/** Compares the books of a partner with the ledger at every quiet moment of a run. */
export class Books {
  readonly #settings: BooksSettings;
  readonly #session: Session;
  readonly #reading: Reading;
  readonly #agreed = new Map<string, Agreement>();
  /** The number of comparisons. */
  moments = 0;

  constructor(settings: BooksSettings, { session, ...reading }: Reading & { readonly session: Session }) {
    this.#settings = settings;
    this.#session = session;
    this.#reading = reading;
  }

  /**
   * Finds the differences. Empty if the books agree, or after a step while money is on its way. After a webhook the
   * check only stores the last agreement, because differences are still allowed.
   */
  async check(moment: "webhook" | "step" | "end"): Promise<BooksFinding[]> {
    if (moment === "step" && this.#settings.when === "end") return [];
    const { read, settled } = this.#reading;
    let books: AccountBooks | undefined;
    let state: unknown;
    try {
      // The webhook that was just handled is still on its way.
      books = await this.#ledger(moment === "webhook" ? { wait: "false" } : {});
      if (moment === "step" && books.waiting > 0) return [];
      state = await read();
      if (this.#compared(state, books).some(({ difference }) => difference !== undefined))
        state = await settled();
    } catch (error) {
      if (error instanceof StepFailure) return [unread(refusalIn(error))];
      if (!(error instanceof CommandFailure)) throw error;
      // A later step may save the account, and before the first booking the partner may have no books to show.
      const isDue = moment === "end" || (books !== undefined && !isUntouched(books));
      return isDue ? [unread(error.message)] : [];
    }
    const compared = this.#compared(state, books);
    // The next entry is the outcome of the webhook that was just handled. A row is due after that entry.
    const entry = moment === "webhook" ? books.next : books.next - 1;
    const at = await this.#session.client.now();
    for (const { path, shown, difference } of compared) {
      const agreed = this.#agreed.get(path);
      if (shown === undefined && moment === "webhook") continue;
      if (difference === undefined) this.#agreed.set(path, { entry, at, shown });
      // Without a booking since then, the partner may book later.
      else if (agreed !== undefined && shown !== agreed.shown)
        agreed.difference ??= { ...difference, until: entry };
    }
    if (moment === "webhook") return [];
    this.moments += 1;
    const differences = compared.flatMap(({ difference }) => difference ?? []);
    if (differences.length === 0) return [];
    const history = await this.#ledger({ history: "true" });
    return differences.map((difference) => this.#finding(difference, history));
  }

  /** Finds bookings of the partner from before the run. Empty if its books cannot be read yet. */
  async leftovers(): Promise<BooksFinding[]> {
    const { read, settled } = this.#reading;
    try {
      const books = await this.#ledger({});
      if (!isUntouched(books)) return [];
      const isLeft = ({ total, off, path, problem }: Difference): boolean =>
        path.startsWith("$books.rows.") || (problem === undefined && total !== "balance" && off !== 0);
      const leftIn = (state: unknown): Difference[] =>
        this.#compared(state, books)
          .flatMap(({ difference }) => difference ?? [])
          .filter(isLeft);
      if (leftIn(await read()).length === 0) return [];
      const left = leftIn(await settled());
      if (left.length === 0) return [];
      const history = await this.#ledger({ history: "true" });
      return left.map((difference) => this.#finding(difference, history));
    } catch (error) {
      if (error instanceof CommandFailure) return [];
      throw error;
    }
  }

  async #ledger(more: Pick<BooksQuery, "history" | "wait">): Promise<AccountBooks> {
    const { account, rows = [] } = this.#settings;
    const of = [...new Set(rows.map((row) => row.of))].join(",");
    const id = account === undefined ? {} : { account: await this.#session.fill(account) };
    return this.#session.client.ask("GET /sandbox/books", { ...id, of, ...more });
  }

  #compared(state: unknown, books: AccountBooks): Compared[] {
    const { totals = {}, rows = [], unit } = this.#settings;
    const isMinor = unit === "minor";
    const byRow = rows.map((row) => {
      const problems = rowProblems(row, state, books.objects ?? [], isMinor);
      const objects = problems.flatMap(({ objectId }) => objectId ?? []);
      return { of: row.of, at: row.at, objects, sentences: problems.map(({ sentence }) => sentence) };
    });
    const ofAllRows = {
      rows: byRow.map(
        ({ of, sentences }) => `rows of ${of}: ${sentences.join("; ") || "none missing, none too many"}`,
      ),
      objects: byRow.flatMap(({ objects }) => objects),
    };
    const ofTotals = TOTALS.flatMap((total): Compared[] => {
      const at = totals[total];
      if (at === undefined) return [];
      const path = `$books.${total}`;
      const values = valuesAt(at, state);
      const shown = JSON.stringify(values);
      const yours = values.length > 1 ? values : values[0];
      const read = sumsOf(values, { isMinor, known: books.totals[total] });
      const ledger = new Map(Object.entries(books.totals[total]).map(([c, text]) => [c, minorOf(text, c)]));
      const currencies = [...new Set([...ledger.keys(), ...(read.sums?.keys() ?? [])])].toSorted();
      const parted = currencies.find((c) => (read.sums?.get(c) ?? 0) !== (ledger.get(c) ?? 0));
      if (read.problem === undefined && parted === undefined) return [{ path, shown }];
      const currency = parted ?? currencies[0] ?? "BRL";
      const [own, right] = [read.sums?.get(currency) ?? 0, ledger.get(currency) ?? 0];
      const looksMinor = !isMinor && right !== 0 && own === right * 100;
      const difference: Difference = {
        path,
        total,
        at,
        currency,
        off: own - right,
        yours,
        ledger: written(ledger, currencies),
        yoursText: read.sums?.size ? written(read.sums, currencies) : shownValue(yours),
        problem: looksMinor ? LOOKS_MINOR : read.problem,
        ...ofAllRows,
      };
      return [{ path, shown, difference }];
    });
    const ofRows = byRow.map(({ of, at, objects, sentences }): Compared => {
      const path = `$books.rows.${of}`;
      if (sentences.length === 0) return { path };
      const yoursText = sentences.length === 1 ? "1 row differs" : `${sentences.length} rows differ`;
      const ledger = "a row for each object";
      return { path, difference: { path, at, yours: sentences, ledger, yoursText, ...ofAllRows, objects } };
    });
    return [...ofTotals, ...ofRows];
  }

  #finding(difference: Difference, history: AccountBooks): BooksFinding {
    const { path, at, yours, ledger, yoursText, rows, problem } = difference;
    const known = this.#agreed.get(path);
    const { entry = 0, difference: first } = known ?? {};
    const picked =
      (first && differingEntryOf(first, history, entry)) ?? differingEntryOf(difference, history, entry);
    const agreed = known === undefined ? null : { entry, at: known.at };
    const [, name = "", of] = path.split(".");
    const never = this.#settings.when === "end" ? "They are compared at the end only." : "They never agreed.";
    const until = agreed === null ? never : `They agreed until entry ${agreed.entry} (${agreed.at}).`;
    const sentence = picked && `Entry ${picked.number}: ${picked.sentence}`;
    const width = Math.max(at.length + 8, 12);
    const lines = [
      `books: ${of === undefined ? name : `rows of ${of}`}`,
      `    ${`your ${at}`.padEnd(width)}${yoursText}`,
      `    ${"the ledger".padEnd(width)}${String(ledger)}`,
      ...(problem === undefined ? [] : [`    ${problem}`]),
      `    ${[until, sentence].filter(Boolean).join(" ")}`,
      ...rows.map((row) => `    ${row}`),
    ];
    return { path, yours, ledger, agreedUntil: agreed, entry: picked, rows, lines };
  }
}

const LOOKS_MINOR = "It looks like a sum in the smallest unit. Write `unit: minor` under `books`.";

/** A sum, or the rows of a collection. */
interface Compared {
  readonly path: string;
  /** The partner's value. Undefined for rows, because their objects are known. */
  readonly shown?: string;
  readonly difference?: Difference;
}

interface Difference extends KnownFacts {
  readonly path: string;
  /** The place of the partner's value. */
  readonly at: string;
  readonly yours: unknown;
  readonly ledger: unknown;
  readonly yoursText: string;
  readonly rows: readonly string[];
  readonly problem?: string | undefined;
}

/** Returns the sandbox's own sentence about a refusal. */
function refusalIn({ answer, message }: StepFailure): string {
  const { details } = isRecord(answer?.body) ? answer.body : {};
  const [first] = Array.isArray(details) ? (details as readonly { description?: string }[]) : [];
  return first?.description ?? message;
}

function isUntouched({ totals }: AccountBooks): boolean {
  const { received, refunded, paidOut, fees } = totals;
  return [received, refunded, paidOut, fees].every((sums) => Object.keys(sums).length === 0);
}

/** The path of a finding that the books cannot be read. */
const UNREAD = "$books";

/** Writes a finding in one line. */
export function findingLine({ path, yours, ledger }: BooksFinding): string {
  if (path === UNREAD) return String(yours);
  // Of rows it is a sentence for each that differs.
  const found = path.startsWith("$books.rows.")
    ? (yours as readonly string[]).join("; ")
    : `your system has ${typeof yours === "string" ? yours : inWords(yours)}, the ledger ${String(ledger)}`;
  return `${path.slice(1)}: ${found}`;
}

function unread(message: string): BooksFinding {
  const lines = ["books: they cannot be read", `    ${message}`];
  return {
    path: UNREAD,
    yours: message,
    ledger: "a state",
    agreedUntil: null,
    entry: null,
    rows: [],
    lines,
  };
}
