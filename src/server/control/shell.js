// @ts-check
// Words for a POSIX shell, in Node and in browsers.

/** A text in quotes, as one word of a shell. @param {string} text */
export function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a command line of these words. Words are quoted only if they need it. @param {readonly string[]} words */
export function commandLine(words) {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(" ");
}
