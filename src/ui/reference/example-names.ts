/**
 * What each of several examples is called: the outermost word of a closed set in which it differs from the
 * others, such as `CREDIT_CARD`; numbered where nothing of the kind tells them apart.
 */
export function exampleNames(examples: readonly unknown[]): string[] {
  const words = examples.map((example) => wordsOf(example));
  return words.map((own, index) => {
    const others = words.filter((_, other) => other !== index);
    const name = own.find((word) => !others.some((other) => other.includes(word)));
    return name ?? `example ${index + 1}`;
  });
}

/** The words of closed sets in a value, those that lie deeper later. */
function wordsOf(value: unknown): string[] {
  const words: string[] = [];
  for (let level: unknown[] = [value]; level.length > 0; level = level.flatMap(inside)) {
    words.push(...level.filter((one) => typeof one === "string").filter(isWord));
  }
  return words;
}

function inside(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function isWord(text: string): boolean {
  return /^[A-Z][A-Z_]{2,}$/.test(text);
}
