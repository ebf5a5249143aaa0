import { distance } from "fastest-levenshtein";

/** The longest misspelt word. A longer text is not one, and measuring it would only cost time. */
const WRITTEN_MAX = 200;

/** The greatest number of words in a message. Of a longer list a message has the nearest words. */
const LISTED_MAX = 10;

/** A shorter text is a part of many names. */
const PART_LETTERS_MIN = 6;

/** A shorter text is the beginning of many names. */
const BEGINNING_LETTERS_MIN = 3;

/** Below this, a phrase such as the name of a provider state is like another one. */
const PHRASE_UNLIKENESS_MAX = 0.88;

interface SuggestionOptions {
  /** Put around every word: a backtick in scenario files, a double quote around names with spaces. */
  readonly quote?: "`" | '"' | "";
  /** The greatest number of near words to offer. Default: 1. */
  readonly countMax?: number;
  /** True if a part of a word suggests the word. */
  readonly takesParts?: boolean;
  /** The page, request or command that lists all known words. It is named if the sentence has only some of them. */
  readonly all?: string;
}

/**
 * Returns a sentence that helps with a misspelt word: the nearest known words, or all known words if none is near.
 */
export function suggestion(
  written: string,
  known: readonly string[],
  { quote = "", countMax = 1, takesParts = false, all }: SuggestionOptions = {},
): string {
  const offered = (words: readonly string[]): string => listed(words.map((word) => quote + word + quote));
  const near = nearestWords(written, known, countMax, takesParts);
  if (near.length > 0) return `Did you mean ${offered(near)}?`;
  const nearest = byLikeness(written, known).slice(0, LISTED_MAX);
  if (nearest.length === 0) return "There is none to choose from.";
  if (known.length > LISTED_MAX) {
    const some = `The nearest are ${offered(nearest.map(({ word }) => word))}.`;
    return all === undefined ? some : `${some} ${all} lists all.`;
  }
  return known.length === 1 ? `Only ${offered(known)} is known.` : `It can be ${offered(known)}.`;
}

/** Returns the known words that are similar to the written word, the most similar first. */
export function nearestWords(
  written: string,
  known: readonly string[],
  countMax = 1,
  takesParts = false,
): string[] {
  return byLikeness(written, known, takesParts)
    .filter(({ isNear }) => isNear)
    .slice(0, countMax)
    .map(({ word }) => word);
}

/** `a, b or c`. */
export function listed(words: readonly string[], conjunction: "or" | "and" = "or"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}

interface Measured {
  readonly word: string;
  readonly unlikeness: number;
  readonly isNear: boolean;
}

function byLikeness(written: string, known: readonly string[], takesParts = false): Measured[] {
  const wanted = written.slice(0, WRITTEN_MAX).toLowerCase();
  return known
    .map((word) => measured(wanted, word, takesParts))
    .toSorted((one, other) => one.unlikeness - other.unlikeness);
}

/** A third of its letters may be wrong in a word. In a phrase the order and the endings of words vary most. */
function measured(wanted: string, word: string, takesParts: boolean): Measured {
  const letters = distance(wanted, word.toLowerCase());
  const lettersShare = letters / Math.max(wanted.length, word.length, 1);
  if (!word.includes(" ")) {
    // A part of a name is more like it than another name with as many other letters.
    const begins = wanted.length >= BEGINNING_LETTERS_MIN && word.toLowerCase().startsWith(wanted);
    const isWithin = takesParts && wanted.length >= PART_LETTERS_MIN && word.toLowerCase().includes(wanted);
    const isPart = begins || isWithin;
    const unlikeness = isPart ? lettersShare / 4 : lettersShare;
    return { word, unlikeness, isNear: isPart || letters <= mistakesMax(word) };
  }
  const [own, other] = [wordsOf(wanted), wordsOf(word.toLowerCase())];
  const shared = own.filter((one) => other.includes(one)).length;
  const unlikeness = (lettersShare + 1 - shared / Math.max(own.length, other.length, 1)) / 2;
  return { word, unlikeness, isNear: unlikeness < PHRASE_UNLIKENESS_MAX };
}

function mistakesMax({ length }: string): number {
  return Math.min(length - 1, Math.max(2, Math.floor(length / 3)));
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
}
