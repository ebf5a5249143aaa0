/**
 * Returns a text on one line that controls no terminal and no CI server. A line break becomes a space, and any other control character
 * is escaped, also those that change the direction of a text.
 */
export function visible(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/[\t\n\v\f\r\u2028\u2029]+/g, " ")
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, escaped)
    .replaceAll(COMMAND, escapedCommand);
}

/** A command of GitHub Actions at the beginning of a line, such as `::error::text`, or its old form anywhere. */
const COMMAND = /::(?<=^[^\S\n]*::)(?=.*::)|##\[/gm;

/** Escapes the commands in a text that GitHub Actions would obey if it reads them in the output of a step. */
export function withoutCommands(text: string): string {
  return text.replaceAll(COMMAND, escapedCommand);
}

/** Returns a text that controls no terminal and no CI server. Its lines and their indentation stay. */
export function visibleLines(text: string): string {
  return withoutCommands(text)
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

function escapedCommand(command: string): string {
  return escaped(command) + command.slice(1);
}
