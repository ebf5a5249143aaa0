import type { Fixtures } from "./seed.ts";

/** A mistake in fixtures. The path begins with the name of the list. */
export interface FixtureMistake {
  readonly path: readonly (string | number)[];
  /** The found value, and the fix. */
  readonly message: string;
}

/** The lists of fixtures. An entry of a user's own list has its position there. */
export type Entries = {
  readonly [Name in keyof Fixtures]: readonly {
    readonly value: Fixtures[Name][number];
    readonly index?: number;
  }[];
};

/** A value that may occur once, and its place. */
export interface Used {
  /** The kind of the value, such as `token`. */
  readonly what: string;
  readonly value: string;
  /** The value for a reader, if it differs. */
  readonly shown?: string;
  /** The company that has the value. */
  readonly owner?: string;
  /** Undefined if the entry is ours. */
  readonly path: readonly (string | number)[] | undefined;
  /** True if one company may have the value several times. */
  readonly isSharedInside?: true;
}

/** Finds the values that occur twice. The mistake stands at the user's entry, if only one of two entries is theirs. */
export function distinctMistakes(uses: readonly Used[]): FixtureMistake[] {
  const found: FixtureMistake[] = [];
  const seen = new Map<string, Used>();
  for (const use of uses) {
    const key = JSON.stringify([use.what, use.value]);
    const before = seen.get(key);
    if (before === undefined) {
      seen.set(key, use);
      continue;
    }
    if (use.isSharedInside === true && before.owner === use.owner) continue;
    const path = use.path ?? before.path;
    if (path === undefined) continue;
    const { what, value, shown = value } = use;
    const where =
      use.owner === undefined || use.owner === before.owner
        ? "is there twice"
        : `belongs to two companies, ${before.owner} and ${use.owner}`;
    found.push({ path, message: `The ${what} "${shown}" ${where}. Give each its own.` });
  }
  return found;
}
