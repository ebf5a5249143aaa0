import type { CompanyFixture, Fixtures } from "./seed.ts";
import type { Entries, FixtureMistake } from "./fixture-uses.ts";
import { fixtureMistakes } from "./fixture-rules.ts";

/** The names of the lists, which are the names of their files. */
export const listNames = [
  "companies",
  "pix-keys",
  "known-payers",
  "cards",
  "deposit-banks",
  "people",
] as const satisfies readonly (keyof Fixtures)[];

export type ListName = (typeof listNames)[number];

/** The lists as a user writes them: the id of a company may be absent. */
export type WrittenFixtures = { readonly [Name in ListName]?: readonly unknown[] };

/** The value of an entry that names it: an entry with one of our names replaces ours. */
const NAMES: { readonly [Name in ListName]: (entry: Fixtures[Name][number]) => string } = {
  companies: ({ id }) => id,
  "pix-keys": ({ key }) => key,
  "known-payers": ({ id }) => id,
  cards: ({ id }) => id,
  "deposit-banks": ({ slug }) => slug,
  people: ({ document }) => document.number,
};

const NO_FIXTURES: Fixtures = {
  companies: [],
  "pix-keys": [],
  "known-payers": [],
  cards: [],
  "deposit-banks": [],
  people: [],
};

/**
 * Joins a user's lists with the present ones. A list replaces the present list, or extends it. Returns the mistakes that
 * a schema does not find. The lists must have the forms of the schema.
 */
export function mergedFixtures(
  written: WrittenFixtures,
  present: Fixtures = NO_FIXTURES,
  isExtending: (name: ListName) => boolean = () => false,
): { readonly fixtures: Fixtures; readonly mistakes: readonly FixtureMistake[] } {
  const entries = Object.fromEntries(
    listNames.map((name) => [name, entriesOf(name, { written, present, isExtending: isExtending(name) })]),
  ) as unknown as Entries;
  const lists = Object.fromEntries(
    listNames.map((name) => [name, entries[name].map(({ value }) => value)]),
  ) as unknown as Fixtures;
  return { fixtures: lists, mistakes: present === NO_FIXTURES ? [] : fixtureMistakes(entries) };
}

function entriesOf<Name extends ListName>(
  name: Name,
  {
    written,
    present,
    isExtending,
  }: { readonly written: WrittenFixtures; readonly present: Fixtures; readonly isExtending: boolean },
): { readonly value: Fixtures[Name][number]; readonly index?: number }[] {
  type Entry = Fixtures[Name][number];
  const nameOf: (entry: Entry) => string = NAMES[name];
  const ours = present[name] as readonly Entry[];
  const list = written[name];
  if (list === undefined) return ours.map((value) => ({ value }));
  const own = (list as readonly Entry[]).map((value, index) => ({
    value: completed(name, value, isExtending ? ours.length + index : index),
    index,
  }));
  if (!isExtending) return own;
  const byName = new Map(own.map((entry) => [nameOf(entry.value), entry]));
  const kept = ours.map((value) => byName.get(nameOf(value)) ?? { value });
  return [...kept, ...own.filter((entry) => !kept.includes(entry))];
}

/** Fills in what follows from the entry itself: the id of a company, and the number of a person. */
function completed<Entry>(name: ListName, entry: Entry, number: number): Entry {
  if (name === "people") return { id: String(number), ...entry };
  if (name !== "companies") return entry;
  const company = entry as CompanyFixture;
  return { ...entry, id: (company.id as string | undefined) ?? slugOf(company.name) };
}

/** Returns `gym-fit-academias-ltda` for `Gym Fit Academias LTDA`. */
function slugOf(name: string): string {
  const plain = name
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 40) || "company"
  );
}
