import { distance } from "fastest-levenshtein";

/** Above this a name is not a misspelling of the other. */
const UNLIKENESS_MAX = 0.88;

/** The names most similar to the one written, the most similar first. */
function nearest(written: string, names: readonly string[], countMax = 3): string[] {
  return names
    .map((name) => ({ name, unlikeness: unlikeness(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ unlikeness }) => unlikeness < UNLIKENESS_MAX)
    .sort((left, right) => left.unlikeness - right.unlikeness)
    .slice(0, countMax)
    .map(({ name }) => name);
}

/** A sentence with the nearest names: `Did you mean "a", "b" or "c"?` */
export function didYouMean(written: string, names: readonly string[]): string {
  const quoted = nearest(written, names).map((name) => `"${name}"`);
  const last = quoted.pop();
  if (last === undefined) return "";
  return `Did you mean ${quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`}?`;
}

/** The share of letters to change and of words not in common: word order and endings vary most. */
function unlikeness(written: string, name: string): number {
  const letters = distance(written, name) / Math.max(written.length, name.length, 1);
  const [own, other] = [wordsOf(written), wordsOf(name)];
  const shared = own.filter((word) => other.includes(word)).length;
  return (letters + 1 - shared / Math.max(own.length, other.length, 1)) / 2;
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
}
