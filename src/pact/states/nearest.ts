import { distance } from "fastest-levenshtein";

/** Past this a name is no slip of the other. */
const UNLIKENESS_MAX = 0.88;

/** The names most like the one written, the likest first; those that share nothing with it are left out. */
export function nearest(written: string, names: readonly string[], countMax = 3): string[] {
  const wanted = written.toLowerCase();
  return names
    .map((name) => ({ name, unlikeness: unlikeness(wanted, name.toLowerCase()) }))
    .filter(({ unlikeness }) => unlikeness < UNLIKENESS_MAX)
    .sort((left, right) => left.unlikeness - right.unlikeness)
    .slice(0, countMax)
    .map(({ name }) => name);
}

/** A sentence that offers the nearest names: `Did you mean "a", "b" or "c"?` */
export function didYouMean(written: string, names: readonly string[]): string {
  const quoted = nearest(written, names).map((name) => `"${name}"`);
  const last = quoted.pop();
  if (last === undefined) return "";
  return `Did you mean ${quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`}?`;
}

/** Letters that have to be changed, and words that are not shared: word order and endings vary most. */
function unlikeness(wanted: string, name: string): number {
  const letters = distance(wanted, name) / Math.max(wanted.length, name.length, 1);
  const [own, other] = [wordsOf(wanted), wordsOf(name)];
  const shared = own.filter((word) => other.includes(word)).length;
  return (letters + 1 - shared / Math.max(own.length, other.length, 1)) / 2;
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
}
