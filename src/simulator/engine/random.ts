/**
 * Random values that can be replayed. A draw is a pure function of the seed, the name of the stream and the number
 * of earlier draws from that stream. So the whole state of a stream is one counter, and a draw from one stream never
 * changes another: arming a fault changes no id.
 */
export interface Chance {
  /** An integer from 0 to `limit - 1`; `limit` is 1 to 2^32. */
  below(limit: number): number;
  /** `length` characters drawn from `alphabet`. */
  text(alphabet: string, length: number): string;
  /** A version 4 UUID. */
  uuid(): string;
}

const WORD = 2 ** 32;
const HEX = "0123456789abcdef";
const FOUR = "4".charCodeAt(0);
const DASH = "-".charCodeAt(0);

export const DIGITS = "0123456789";
export const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Random values from the 32-bit words of `nextWord`. */
export function chanceFrom(nextWord: () => number): Chance {
  const below = (limit: number): number => Math.floor((nextWord() / WORD) * limit);
  const codesOf = (alphabet: string, length: number): number[] => {
    const codes: number[] = [];
    while (codes.length < length) codes.push(alphabet.charCodeAt(below(alphabet.length)));
    return codes;
  };
  const text = (alphabet: string, length: number): string =>
    String.fromCharCode(...codesOf(alphabet, length));
  // A text of joined pieces would keep them all, as long as it is kept.
  const uuid = (): string => {
    const hex = codesOf(HEX, 32);
    hex[12] = FOUR;
    hex[16] = HEX.charCodeAt(8 + below(4));
    for (const at of [8, 13, 18, 23]) hex.splice(at, 0, DASH);
    return String.fromCharCode(...hex);
  };
  return { below, text, uuid };
}

/** The largest seed: the words have 32 bits, and a larger seed would equal a smaller one. */
export const SEED_MAX = 2 ** 32 - 1;

/** The words of the stream `stream` under `seed`, by position: a counter-based generator (murmur3 mixing). */
export function wordsOf(seed: number, stream: string): (position: number) => number {
  const key = mix(seed ^ hashText(stream));
  return (position) => mix(mix(key + Math.imul(position, 0x9e3779b9)) ^ key);
}

/** A separate source that counts from zero: for tests and for draws outside a world. */
export function seededChance(seed: number, stream: string): Chance {
  const words = wordsOf(seed, stream);
  let position = 0;
  return chanceFrom(() => words(position++));
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

function mix(word: number): number {
  let mixed = word >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
