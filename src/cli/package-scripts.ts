import { isDeepStrictEqual } from "node:util";
import { CommandFailure } from "../base/failures.ts";

type Scripts = Readonly<Record<string, string>>;

/**
 * Adds scripts to the text of a package.json and changes no other character: numbers, line ends and blanks stay.
 * The text must be a JSON object whose `scripts`, if there are any, are an object without these names.
 */
export function withScripts(text: string, added: Scripts): string {
  const layout = layoutOf(text);
  const { top, scripts } = spansOf(text);
  const members = (depth: number): string[] =>
    Object.entries(added)
      .map(([name, command]) => `${JSON.stringify(name)}:${layout.colon}${JSON.stringify(command)}`)
      .map((member) => layout.before(depth) + member);
  const edited =
    scripts === undefined
      ? insert(text, top, {
          members: [
            `${layout.before(1)}"scripts":${layout.colon}{${members(2).join(",")}${layout.before(1)}}`,
          ],
          end: layout.before(0),
        })
      : insert(text, scripts, { members: members(2), end: layout.before(1) });
  const whole = edited.endsWith("\n") ? edited : edited + layout.lineEnd;
  if (!isAdded(text, whole, added))
    throw new CommandFailure(
      "Failed to add scripts: package.json has two members of one name. Keep one of them.",
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

/** Finds the whole object, and its `scripts`. */
function spansOf(text: string): { readonly top: Span; readonly scripts?: Span } {
  const opened: number[] = [];
  let scripts: Span | undefined;
  let top: Span = { open: 0, close: text.length };
  let key: string | undefined;
  let last: string | undefined;
  let scriptsAt: number | undefined;
  for (const { 0: token, index } of text.matchAll(/"(?:\\.|[^"\\])*"|[{}[\]:,]/gs)) {
    if (token === ":" && opened.length === 1) key = last;
    else if (token === "{" || token === "[") {
      if (opened.length === 1 && token === "{" && key === "scripts") scriptsAt = index;
      opened.push(index);
    } else if (token === "}" || token === "]") {
      const open = opened.pop() ?? 0;
      if (open === scriptsAt) scripts = { open, close: index };
      if (opened.length === 0) top = { open, close: index };
    } else if (token.startsWith('"')) last = JSON.parse(token) as string;
  }
  return scripts === undefined ? { top } : { top, scripts };
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

function isAdded(before: string, after: string, added: Scripts): boolean {
  const json = JSON.parse(before) as { readonly scripts?: Scripts };
  return isDeepStrictEqual(JSON.parse(after), { ...json, scripts: { ...json.scripts, ...added } });
}
