/** Start and odd factor of each of four independent multiplicative hashes (FNV-1a and kin). */
const LANES = [
  [0x811c9dc5, 0x01000193],
  [0x9e3779b9, 0x85ebca6b],
  [0x27d4eb2f, 0xc2b2ae35],
  [0x165667b1, 0x9e3779b1],
] as const;

/**
 * 128 bits that stand for a text, in hex: equal texts have equal fingerprints, and what the text said, such as
 * the number of a card, is not kept. It tells texts apart; it is no defence against an attacker.
 */
export function fingerprint(text: string): string {
  return LANES.map(([start, factor]) => lane(text, start, factor)).join("");
}

function lane(text: string, start: number, factor: number): string {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), factor);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
