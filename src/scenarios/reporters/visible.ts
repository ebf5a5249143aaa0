/**
 * A text on one line in which nothing is left that a terminal would obey: a line break is a space, any other
 * control character is written out.
 */
export function visible(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/[\t\n\v\f\r\u2028\u2029]+/g, " ")
    .replaceAll(/\p{Cc}/gu, written);
}

function written(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
