import { isDeepStrictEqual } from "node:util";
import { CommandFailure } from "../base/failures.ts";

type Members = Readonly<Record<string, string>>;

/** The objects of package.json that get members. */
export type Section = "scripts" | "devDependencies";

/**
 * Adds members to a section of the text of a package.json and changes no other character: numbers, line ends and blanks
 * stay. The text must be a JSON object whose section, if it is there, is an object without these names.
 */
export function withMembers(text: string, section: Section, added: Members): string {
  const layout = layoutOf(text);
  const { top, found } = spansOf(text, section);
  const members = (depth: number): string[] =>
    Object.entries(added)
      .map(([name, command]) => `${JSON.stringify(name)}:${layout.colon}${JSON.stringify(command)}`)
      .map((member) => layout.before(depth) + member);
  const edited =
    found === undefined
      ? insert(text, top, {
          members: [
            `${layout.before(1)}"${section}":${layout.colon}{${members(2).join(",")}${layout.before(1)}}`,
          ],
          end: layout.before(0),
        })
      : insert(text, found, { members: members(2), end: layout.before(1) });
  const whole = edited.endsWith("\n") ? edited : edited + layout.lineEnd;
  if (!isAdded(text, whole, section, added))
    throw new CommandFailure(
      "Failed to add to package.json: package.json has two members of one name. Keep one of them.",
    );
  return whole;
}

/** Returns the layout of the text's members. */
function layoutOf(text: string) {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const [, blanks = `${lineEnd}  `] = /^\s*\{(\s*)"/.exec(text) ?? [];
  const indent = blanks.replaceAll(/[\r\n]/g, "");
  const isInLine = !blanks.includes("\n");
  return {
    lineEnd,
    colon: isInLine && !/"\s*:\s/.test(text) && /"/.test(text) ? "" : " ",
    /** The blanks before a member at a depth, or before the bracket that ends it. */
    before: (depth: number) => (isInLine ? indent : lineEnd + indent.repeat(depth)),
  };
}

/** An object in the text: the positions of its brackets. */
interface Span {
  readonly open: number;
  readonly close: number;
}

/** Finds the whole object, and its section. */
function spansOf(text: string, section: Section): { readonly top: Span; readonly found?: Span } {
  const opened: number[] = [];
  let found: Span | undefined;
  let top: Span = { open: 0, close: text.length };
  let key: string | undefined;
  let last: string | undefined;
  let sectionAt: number | undefined;
  for (const { 0: token, index } of text.matchAll(/"(?:\\.|[^"\\])*"|[{}[\]:,]/gs)) {
    if (token === ":" && opened.length === 1) key = last;
    else if (token === "{" || token === "[") {
      if (opened.length === 1 && token === "{" && key === section) sectionAt = index;
      opened.push(index);
    } else if (token === "}" || token === "]") {
      const open = opened.pop() ?? 0;
      if (open === sectionAt) found = { open, close: index };
      if (opened.length === 0) top = { open, close: index };
    } else if (token.startsWith('"')) last = JSON.parse(token) as string;
  }
  return found === undefined ? { top } : { top, found };
}

/** Puts members at the end of an object. */
function insert(
  text: string,
  { open, close }: Span,
  { members, end }: { readonly members: readonly string[]; readonly end: string },
): string {
  const inside = text.slice(open + 1, close).trimEnd();
  const at = open + 1 + inside.length;
  const isEmpty = inside === "";
  const rest = isEmpty ? end + text.slice(close) : text.slice(at);
  return text.slice(0, at) + (isEmpty ? "" : ",") + members.join(",") + rest;
}

function isAdded(before: string, after: string, section: Section, added: Members): boolean {
  const json = JSON.parse(before) as { readonly [Name in Section]?: Members };
  return isDeepStrictEqual(JSON.parse(after), { ...json, [section]: { ...json[section], ...added } });
}
