import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";

/** The rows of one kind, by key. */
export interface Table<Row> {
  get(key: string): Row | undefined;
  set(key: string, row: Row): void;
  delete(key: string): void;
  entries(): readonly (readonly [string, Row])[];
}

/**
 * The stored state of the gym. Each change is one more line of a file, written before anything else happens. So a gym
 * that is killed at any moment can continue. A real gym has a database. Without a file the state is only in memory.
 */
export class Store {
  readonly #file: string | undefined;
  readonly #tables = new Map<string, Map<string, unknown>>();

  constructor(file?: string) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    for (const line of readFileSync(file, "utf8").split("\n")) this.#load(line);
  }

  table<Row>(name: string): Table<Row> {
    const rows = this.#rowsOf(name) as Map<string, Row>;
    const change = (key: string, row?: Row): void => {
      // A line begins with its line break, so a line that a kill has cut off does not damage the next line.
      if (this.#file !== undefined) appendFileSync(this.#file, `\n${JSON.stringify([name, key, row])}`);
    };
    return {
      get: (key) => rows.get(key),
      set: (key, row) => {
        change(key, row);
        rows.set(key, row);
      },
      delete: (key) => {
        change(key);
        rows.delete(key);
      },
      entries: () => [...rows],
    };
  }

  clear(): void {
    if (this.#file !== undefined) writeFileSync(this.#file, "");
    for (const rows of this.#tables.values()) rows.clear();
  }

  #load(line: string): void {
    try {
      const [name, key, row] = JSON.parse(line) as [string, string, unknown];
      if (row === null) this.#rowsOf(name).delete(key);
      else this.#rowsOf(name).set(key, row);
    } catch {
      // The line is empty, or a kill has cut it off.
    }
  }

  #rowsOf(name: string): Map<string, unknown> {
    const rows = this.#tables.get(name) ?? new Map<string, unknown>();
    this.#tables.set(name, rows);
    return rows;
  }
}
