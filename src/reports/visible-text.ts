/**
 * Returns a text on one line that controls no terminal. A line break becomes a space, and any other control character
 * is escaped.
 */
export function visible(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/[\t\n\v\f\r\u2028\u2029]+/g, " ")
    .replaceAll(/\p{Cc}/gu, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
