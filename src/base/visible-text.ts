/**
 * Returns a text on one line that controls no terminal. A line break becomes a space, and any other control character
 * is escaped, also those that change the direction of a text.
 */
export function visible(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/[\t\n\v\f\r\u2028\u2029]+/g, " ")
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, escaped);
}

/** Returns a text that controls no terminal. Its lines and their indentation stay. */
export function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const [indent = ""] = /^ */.exec(line) ?? [];
      return indent + visible(line.slice(indent.length));
    })
    .join("\n");
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
