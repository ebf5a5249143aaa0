import { CommandFailure } from "../../process/failures.ts";
import type { AccountBooks, BooksQuery } from "../../api/generated/shapes.ts";
import type { BooksSettings } from "../scenarios/scenario.ts";
import { minorOf, shownValue, sumsOf, valuesAt, written } from "./amounts.ts";
import type { BooksFinding } from "./finding.ts";
import { type History, type Parted, partingOf, TOTALS } from "./parting.ts";
import { inWords } from "../scenarios/result.ts";
import { isRecord } from "../../engine/json.ts";
import { type Reading, settledState } from "../oracle/probe.ts";
import { rowProblems } from "./rows.ts";
import { type Session, StepFailure } from "../scenarios/session.ts";

/** When they are compared: after a webhook that was just handled, after a step, and after the last. */
type Moment = "webhook" | "step" | "end";

/** The last moment at which they agreed. */
interface Agreement {
  readonly entry: number;
  readonly at: string;
  /** What the partner showed. */
  readonly shown: string;
  /** The difference at the first moment since at which something was booked, with the last entry there was. */
  parted?: Difference & { readonly until: number };
}

/** Compares the books of a partner with the ledger at every quiet moment of a run. */
export class Books {
  readonly #settings: BooksSettings;
  readonly #session: Session;
  readonly #reading: Reading;
  readonly #agreed = new Map<string, Agreement>();
  /** How often they were compared. */
  moments = 0;

  constructor(settings: BooksSettings, { session, ...reading }: Reading & { readonly session: Session }) {
    this.#settings = settings;
    this.#session = session;
    this.#reading = reading;
  }

  /**
   * Where they part; empty where they agree, and after a step while something is on its way. A webhook that was just
   * handled shows up to where they agree, and nothing has to agree yet.
   */
  async check(moment: Moment): Promise<BooksFinding[]> {
    if (moment === "step" && this.#settings.when === "end") return [];
    const isEnd = moment === "end";
    let books: AccountBooks;
    try {
      // The webhook that was just handled is still on its way.
      books = await this.#ledger(moment === "webhook" ? { wait: "false" } : {});
    } catch (error) {
      if (error instanceof StepFailure) return [unread(refusalIn(error))];
      // The account may be one that a later step saves.
      if (error instanceof CommandFailure) return isEnd ? [unread(error.message)] : [];
      throw error;
    }
    if (moment === "step" && books.waiting > 0) return [];
    const { read, settleMs } = this.#reading;
    let state: unknown;
    try {
      state = await read();
      if (this.#differences(state, books).length > 0) ({ state } = await settledState(read, { settleMs }));
    } catch (error) {
      const isKnown = error instanceof CommandFailure;
      if (!isKnown) throw error;
      // Before anything happened there may be nothing to show.
      if (!isEnd && isUntouched(books)) return [];
      return [unread(error.message)];
    }
    const differences = this.#differences(state, books);
    // The next entry is the outcome of a webhook that was just handled.
    const entry = moment === "webhook" ? books.next : books.next - 1;
    const place = { entry, at: await this.#session.now() };
    for (const [name, at] of this.#places(moment)) {
      const shown = JSON.stringify(valuesAt(at, state));
      const difference = differences.find(({ path }) => path === name);
      const agreed = this.#agreed.get(name);
      if (difference === undefined) this.#agreed.set(name, { ...place, shown });
      // Where nothing was booked since, it may be booked later.
      else if (agreed !== undefined && shown !== agreed.shown)
        agreed.parted ??= { ...difference, until: place.entry };
    }
    if (moment === "webhook") return [];
    this.moments += 1;
    if (differences.length === 0) return [];
    const history = await this.#ledger({ history: "true" });
    return differences.map((difference) => this.#finding(difference, history));
  }

  async #ledger(more: Pick<BooksQuery, "history" | "wait">): Promise<AccountBooks> {
    const { account, rows = [] } = this.#settings;
    const of = [...new Set(rows.map((row) => row.of))].join(",");
    const id = account === undefined ? {} : { account: await this.#session.fill(account) };
    return this.#session.ask("GET /sandbox/books", { ...id, of, ...more });
  }

  /** The path in reports of what is compared, and where the partner shows it; a row is due once its webhook was answered. */
  #places(moment: Moment): [name: string, at: string][] {
    const { totals = {}, rows = [] } = this.#settings;
    return [
      ...Object.entries(totals).map(([name, at]): [string, string] => [`$books.${name}`, at]),
      ...(moment === "webhook" ? [] : rows.map(({ of, at }): [string, string] => [`$books.rows.${of}`, at])),
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
          ledger: written(ledger, currencies),
          yoursText: read.sums?.size ? written(read.sums, currencies) : shownValue(yours),
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
    const known = this.#agreed.get(path);
    const { entry = 0, parted: first } = known ?? {};
    const parted =
      (first && partingOf(first, historyUntil(first.until, history), entry)) ??
      partingOf(difference, history, entry);
    const agreed = known === undefined ? null : { entry, at: known.at };
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

function historyUntil(last: number, { movements = [], announcements = [] }: AccountBooks): History {
  return {
    movements: movements.filter(({ entry }) => entry === null || entry <= last),
    announcements: announcements.filter(({ entry }) => entry <= last),
  };
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
