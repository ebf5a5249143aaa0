import { CommandFailure } from "../../process/failures.ts";
import type { AccountBooks } from "../../api/generated/shapes.ts";
import type { BooksSettings } from "../scenarios/scenario.ts";
import { minorOf, shownValue, sumsOf, valuesAt, written } from "./amounts.ts";
import type { BooksFinding } from "./finding.ts";
import { type Parted, partingOf, TOTALS } from "./parting.ts";
import { inWords } from "../scenarios/result.ts";
import { isRecord } from "../../engine/json.ts";
import { settledState } from "../oracle/probe.ts";
import { rowProblems } from "./rows.ts";
import { type Session, StepFailure } from "../scenarios/session.ts";

interface Place {
  readonly entry: number;
  readonly at: string;
}

/** Compares the books of a partner with the ledger at every quiet moment of a run. */
export class Books {
  readonly #settings: BooksSettings;
  readonly #read: () => Promise<unknown>;
  readonly #session: Session;
  readonly #settleMs: number;
  readonly #agreed = new Map<string, Place>();
  /** How often they were compared. */
  moments = 0;

  constructor(
    settings: BooksSettings,
    given: { readonly session: Session; readonly settleMs: number; readonly read: () => Promise<unknown> },
  ) {
    this.#settings = settings;
    this.#session = given.session;
    this.#settleMs = given.settleMs;
    this.#read = given.read;
  }

  /** Where they part; empty where they agree, and while something is on its way unless it is the end. */
  async check(isEnd: boolean): Promise<BooksFinding[]> {
    if (!isEnd && this.#settings.when === "end") return [];
    let books: AccountBooks;
    try {
      books = await this.#ledger();
    } catch (error) {
      if (error instanceof StepFailure) return [unread(refusalIn(error))];
      // The account may be one that a later step saves.
      if (error instanceof CommandFailure) return isEnd ? [unread(error.message)] : [];
      throw error;
    }
    if (!isEnd && books.waiting > 0) return [];
    let state: unknown;
    try {
      state = await this.#read();
      if (this.#differences(state, books).length > 0)
        ({ state } = await settledState(this.#read, { settleMs: this.#settleMs }));
    } catch (error) {
      const isKnown = error instanceof CommandFailure;
      if (!isKnown) throw error;
      // Before anything happened there may be nothing to show.
      if (!isEnd && isUntouched(books)) return [];
      return [unread(error.message)];
    }
    this.moments += 1;
    const differences = this.#differences(state, books);
    const place = { entry: books.next - 1, at: await this.#session.now() };
    for (const name of this.#names())
      if (differences.every(({ path }) => path !== name)) this.#agreed.set(name, place);
    if (differences.length === 0) return [];
    const history = await this.#ledger({ history: "true" });
    return differences.map((difference) => this.#finding(difference, history));
  }

  async #ledger(more: { readonly history?: "true" } = {}): Promise<AccountBooks> {
    const { account, rows = [] } = this.#settings;
    const of = [...new Set(rows.map((row) => row.of))].join(",");
    const id = account === undefined ? {} : { account: await this.#session.fill(account) };
    return this.#session.ask("GET /sandbox/books", { ...id, of, ...more });
  }

  #names(): string[] {
    const { totals = {}, rows = [] } = this.#settings;
    return [
      ...Object.keys(totals).map((name) => `$books.${name}`),
      ...rows.map(({ of }) => `$books.rows.${of}`),
    ];
  }

  #differences(state: unknown, books: AccountBooks): Difference[] {
    const { totals = {}, rows = [], unit } = this.#settings;
    const found = TOTALS.flatMap((total): Difference[] => {
      const at = totals[total];
      if (at === undefined) return [];
      const values = valuesAt(at, state);
      const yours = values.length > 1 ? values : values[0];
      const read = sumsOf(values, { isMinor: unit === "minor", known: books.totals[total] });
      const ledger = new Map(Object.entries(books.totals[total]).map(([c, text]) => [c, minorOf(text, c)]));
      const currencies = [...new Set([...ledger.keys(), ...(read.sums?.keys() ?? [])])].toSorted();
      const parted = currencies.find((c) => (read.sums?.get(c) ?? 0) !== (ledger.get(c) ?? 0));
      if (read.problem === undefined && parted === undefined) return [];
      const currency = parted ?? currencies[0] ?? "BRL";
      const [own, right] = [read.sums?.get(currency) ?? 0, ledger.get(currency) ?? 0];
      const isMinor = unit !== "minor" && right !== 0 && own === right * 100;
      const problem = isMinor
        ? "It looks like a sum in the smallest unit: write `unit: minor` under `books`."
        : read.problem;
      return [
        {
          path: `$books.${total}`,
          total,
          at,
          currency,
          off: own - right,
          yours,
          ledger: written(ledger, currency),
          yoursText: read.sums?.size ? written(read.sums, currency) : shownValue(yours),
          rows: [],
          ...(problem !== undefined && { problem }),
        },
      ];
    });
    const byRow = rows.map((row) => ({
      row,
      problems: rowProblems(row, state, books.objects ?? [], unit === "minor"),
    }));
    const sentences = byRow.flatMap(({ row, problems }) =>
      problems.length === 0
        ? [`rows of ${row.of}: none missing, none too many`]
        : [`rows of ${row.of}: ${problems.map(({ sentence }) => sentence).join("; ")}`],
    );
    const objects = byRow.flatMap(({ problems }) => problems.flatMap(({ objectId }) => objectId ?? []));
    const withRows = found.map((one) => ({ ...one, rows: sentences, objects }));
    const others = byRow.flatMap(({ row, problems }): Difference[] =>
      problems.length === 0
        ? []
        : [
            {
              path: `$books.rows.${row.of}`,
              at: row.at,
              yours: problems.map(({ sentence }) => sentence),
              ledger: "a row for each object",
              yoursText: `${problems.length} ${problems.length === 1 ? "row differs" : "rows differ"}`,
              rows: sentences,
              objects: problems.flatMap(({ objectId }) => objectId ?? []),
            },
          ],
    );
    return [...withRows, ...others];
  }

  #finding(difference: Difference, history: AccountBooks): BooksFinding {
    const { path, at, yours, ledger, yoursText, rows, problem } = difference;
    const agreed = this.#agreed.get(path) ?? null;
    const parted = partingOf(difference, history, agreed?.entry ?? 0);
    const [, name = "", of] = path.split(".");
    const never = this.#settings.when === "end" ? "They are compared at the end only." : "They never agreed.";
    const until = agreed === null ? never : `They agreed until entry ${agreed.entry} (${agreed.at}).`;
    const sentence = parted && `Entry ${parted.number}: ${parted.sentence}`;
    const width = Math.max(at.length + 8, 12);
    const lines = [
      `books: ${of === undefined ? name : `rows of ${of}`}`,
      `    ${`your ${at}`.padEnd(width)}${yoursText}`,
      `    ${"the ledger".padEnd(width)}${String(ledger)}`,
      ...(problem === undefined ? [] : [`    ${problem}`]),
      `    ${[until, sentence].filter(Boolean).join(" ")}`,
      ...rows.map((row) => `    ${row}`),
    ];
    return { path, yours, ledger, agreedUntil: agreed, entry: parted, rows, lines };
  }
}

interface Difference extends Parted {
  readonly path: string;
  /** Where the partner shows it. */
  readonly at: string;
  readonly yours: unknown;
  readonly ledger: unknown;
  readonly yoursText: string;
  readonly rows: readonly string[];
  readonly problem?: string;
}

/** What the sandbox refused, in its own sentence. */
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

/** A finding in one line. */
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
