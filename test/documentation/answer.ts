/**
 * Holds what a page shows as an answer against what came; throws with the difference. JSON shows part of every object, and a list that ends
 * in `…` part of a list; in a text `…` stands for whatever there is. Lines of text come in the order shown, with
 * columns as wide as they need be.
 */
export function expectAnswer(shown: string, came: string, language: string): void {
  if (language === "json") {
    const wrong = differences(JSON.parse(shown), JSON.parse(came), "");
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return;
  }
  const pattern = new RegExp(linesOf(shown).map(source).join("[\\s\\S]*?\\n[\\s\\S]*?"));
  if (!pattern.test(came)) throw new Error(`The page shows\n${shown}and this came:\n${came}`);
}

/** A pattern for what a server is shown to print: these lines, in this order. */
export function printedPattern(shown: string): RegExp {
  return new RegExp(
    linesOf(shown)
      .map((line) => `^${source(line)}$`)
      .join("[\\s\\S]*?"),
    "m",
  );
}

function differences(shown: unknown, came: unknown, path: string): string[] {
  if (Array.isArray(shown) && Array.isArray(came)) return differencesOfLists(shown, came, path);
  if (isObject(shown) && isObject(came)) {
    return Object.entries(shown).flatMap(([key, value]) => differences(value, came[key], `${path}.${key}`));
  }
  const isSo =
    typeof shown === "string" && typeof came === "string"
      ? new RegExp(`^${source(shown)}$`).test(came)
      : shown === came;
  return isSo ? [] : [`${path} is shown as ${JSON.stringify(shown)}, and ${JSON.stringify(came)} came`];
}

function differencesOfLists(shown: readonly unknown[], came: readonly unknown[], path: string): string[] {
  if (shown.at(-1) !== "…") {
    return shown.length === came.length
      ? shown.flatMap((one, index) => differences(one, came[index], `${path}[${index}]`))
      : [`${path} is shown with ${shown.length} entries, and ${came.length} came`];
  }
  let from = 0;
  return shown.slice(0, -1).flatMap((one, index) => {
    const at = came.findIndex((other, place) => place >= from && differences(one, other, "").length === 0);
    if (at !== -1) from = at + 1;
    return at === -1 ? [`${path}[${index}], ${JSON.stringify(one)}, did not come after the one before`] : [];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function linesOf(shown: string): string[] {
  const lines = shown.trim().split("\n");
  return lines.filter((line) => line.trim() !== "…");
}

function source(text: string): string {
  const plain = text.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return plain.replaceAll(/ +/g, " +").replaceAll("…", ".*");
}
