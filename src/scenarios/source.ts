import { isAlias, isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Document, Node, Pair } from "yaml";
import { aliasProblem, ALIASES_MAX } from "./aliases.ts";
import type { ScenarioMistake } from "./mistake.ts";
import type { Path, Place } from "./scenario.ts";

/** A YAML file and the place of everything in it. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** The file as plain values; undefined when it is no YAML at all. */
  readonly value: unknown;
  /** What is wrong with the YAML itself. */
  readonly mistakes: readonly ScenarioMistake[];
  /** Where the value at `path` stands; of what is not written there, the nearest thing around it. */
  place(path: Path): Place;
  /** Where the key at the end of `path` stands. */
  keyPlace(path: Path): Place;
  /**
   * From where to where the value at `path` is written, for those who rewrite it. Undefined for what is not
   * written there itself, and for what goes over several lines by its indentation.
   */
  range(path: Path): readonly [number, number] | undefined;
}

/** A longer file is no story that anybody tells; the longest recordings are a tenth of it. */
const LENGTH_MAX = 10_000_000;

/** What YAML lets no file have, not even inside quotes: it comes from a file that is no text. */
// oxlint-disable-next-line no-control-regex
const unreadable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** Reads a YAML file and keeps where everything stands; it never throws. */
export function readSource(text: string, file: string): Source {
  const unfit = unfitness(text);
  if (unfit !== undefined) return unfitSource(text, file, unfit);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    logLevel: "error",
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const wrong = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  const aliases = wrong.length > 0 ? undefined : aliasProblem(document);
  const mistakes = wrong
    .map(({ code, message, pos }) => ({ at: pos[0], message: explain(code, message, text, pos[0]) }))
    .concat(aliases ?? [])
    .map(({ at, message }) => ({ file, ...placeAt(at), message }))
    // One slip in the notation makes the rest of its line look wrong too.
    .filter(({ line }, index, all) => all[index - 1]?.line !== line);
  return {
    file,
    text,
    mistakes,
    value: aliases === undefined ? readValue(document) : undefined,
    place: (path) => placeAt(start(walk(document, path).node) ?? 0),
    keyPlace: (path) => {
      const { pair, node } = walk(document, path);
      return placeAt(start(pair?.key) ?? start(node) ?? 0);
    },
    range: (path) => {
      const { node, whole, aliased } = walk(document, path);
      const isInLine = isScalar(node)
        ? !node.type?.startsWith("BLOCK")
        : isCollection(node) && node.flow === true;
      return whole && !aliased && isInLine && node?.range ? [node.range[0], node.range[1]] : undefined;
    },
  };
}

interface Unfitness {
  readonly offset: number;
  readonly message: string;
}

/** What keeps a text from being looked at as YAML at all. */
function unfitness(text: string): Unfitness | undefined {
  if (text.length > LENGTH_MAX) {
    const message = `The file has ${text.length} characters, and a scenario at most ${LENGTH_MAX}. Cut it into several.`;
    return { offset: 0, message };
  }
  const offset = text.search(unreadable);
  if (offset === -1) return undefined;
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  return { offset, message: `This is not YAML: the character U+${code} is no text. Save the file as UTF-8.` };
}

function unfitSource(text: string, file: string, { offset, message }: Unfitness): Source {
  const before = text.slice(0, offset).split("\n");
  const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  return {
    file,
    text: "",
    value: undefined,
    mistakes: [{ file, ...place, message }],
    place: () => place,
    keyPlace: () => place,
    range: () => undefined,
  };
}

function readValue(document: Document): unknown {
  if (document.errors.some(({ code }) => code !== "DUPLICATE_KEY")) return undefined;
  return document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown;
}

interface Found {
  node: Node | undefined;
  /** The pair whose value `node` is, when it stands in a map. */
  pair: Pair | undefined;
  /** Whether the path could be followed to its end. */
  whole: boolean;
  aliased: boolean;
}

function walk(document: Document, path: Path): Found {
  const found: Found = { node: document.contents ?? undefined, pair: undefined, whole: true, aliased: false };
  for (const segment of path) {
    if (isAlias(found.node)) {
      found.aliased = true;
      found.node = found.node.resolve(document) ?? found.node;
    }
    const child = childOf(found.node, segment);
    if (child === undefined) return { ...found, whole: false };
    found.pair = child.pair;
    if (child.node) found.node = child.node;
    found.whole = child.node !== undefined;
  }
  return found;
}

function childOf(node: Node | undefined, segment: string | number): { node?: Node; pair?: Pair } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? undefined : { node: item as Node };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
  if (pair === undefined) return undefined;
  return pair.value === null ? { pair } : { pair, node: pair.value as Node };
}

function start(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function explain(code: string, message: string, text: string, offset: number): string {
  if (code === "DUPLICATE_KEY") {
    const key = /^[^\s:,}]+/.exec(text.slice(offset))?.[0] ?? "";
    return `The key \`${key}\` is written twice in the same place. Keep one of them.`;
  }
  if (code === "MULTIPLE_DOCS") return "A second document begins here. Write one scenario per file.";
  if (message.startsWith("Maximum call stack")) return "The file is nested too deeply to be read.";
  const from = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(from, end === -1 ? undefined : end);
  const hint = /[{[].*(?<!["'][^"'{}]*)\$\{/.test(line)
    ? ' Inside { } and [ ] an expression has to stand in quotes: "${name.id}".'
    : "";
  return `This is not YAML: ${message.replace(/\.?$/, ".")}${hint}`;
}
