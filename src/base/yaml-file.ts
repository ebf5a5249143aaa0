import type { Alias, Document, LineCounter, Node, Pair, YAMLMap } from "yaml";
import { createRequire } from "node:module";
import { extname } from "node:path";

/** A place in a file. Both numbers count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The path of a value in a file: keys and positions, from the top. */
export type Path = readonly (string | number)[];

/** A mistake in a file of the user. */
export interface FileMistake extends Place {
  readonly file: string;
  /** The found value, and the right value. */
  readonly message: string;
}

/** Writes a mistake as `file:line:column: message`, which terminals and editors turn into a link. */
export function formatMistake(mistake: FileMistake): string {
  return `${mistake.file}:${mistake.line}:${mistake.column}: ${mistake.message}`;
}

/** A file in YAML or JSON, and the place of everything in it. */
export interface YamlFile {
  readonly file: string;
  readonly text: string;
  /** The file as plain values. Undefined if it is not YAML. */
  readonly value: unknown;
  /** The nodes of the file. Undefined if its text cannot be parsed at all. */
  readonly document: Document | undefined;
  /** The mistakes in the YAML itself. */
  readonly mistakes: readonly FileMistake[];
  /** Returns the place of a character. */
  placeAt(offset: number): Place;
  /** Returns the place of the value at `path`, or of the nearest value around it. */
  place(path: Path): Place;
  /** Returns the place of the key at the end of `path`. */
  keyPlace(path: Path): Place;
  /** Returns the text, number or boolean at `path`. Undefined for a missing value, a mapping or a list. */
  scalar(path: Path): unknown;
  /**
   * Returns the range of characters of the value at `path`. Undefined for a value that is not in the file, that spans
   * several lines by its indentation, or that an anchor gives to other places too.
   */
  range(path: Path): readonly [number, number] | undefined;
}

/** The words of a kind of file for its mistakes. */
export interface YamlWords {
  /** The name of its content, such as `scenario`. */
  readonly what: string;
  /** Returns further help for a line that cannot be parsed. It begins with a space. */
  readonly help?: (line: string) => string;
  /** The advice for a file whose aliases expand to too many values. */
  readonly aliasAdvice?: string;
}

/** The library is loaded with the first file, because it takes longer to load than the other modules of a start. */
let loaded: typeof import("yaml") | undefined;
function yaml(): typeof import("yaml") {
  return (loaded ??= createRequire(import.meta.url)("yaml") as typeof import("yaml"));
}

/** The longest recordings are a tenth of it. */
const LENGTH_MAX = 10_000_000;

/** Characters that YAML does not allow, not even in quotes: they come from a binary file. */
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** Reads a text in YAML or JSON with the place of every value. Never throws. */
export function readYaml(text: string, file: string, words: YamlWords): YamlFile {
  const { LineCounter, isCollection, isScalar, parseDocument } = yaml();
  const unreadable = unreadableAt(text, words);
  if (unreadable !== undefined) return unreadableSource(text, file, unreadable);
  const lines: LineCounter = new LineCounter();
  const document: Document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // The parser compares each key with all others; `duplicateKeys` finds them in linear time.
    uniqueKeys: false,
    merge: true,
    logLevel: "error",
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const targets = new Map<Alias, Node>();
  const children = new WeakMap<YAMLMap, Map<string, Pair>>();
  const walk = (path: Path): Found => walkFrom(document, path, { targets, children });
  const wrong = [...document.errors, ...document.warnings]
    .map(({ code, message, pos }) => ({
      at: pos[0],
      message: explain({ code, message, offset: pos[0] }, { text, file, words }),
    }))
    .concat(duplicateKeys(document))
    .toSorted((a, b) => a.at - b.at);
  const aliases = wrong.length > 0 ? undefined : aliasProblem(document, targets, words);
  const mistakes = wrong
    .concat(aliases ?? [])
    .map(({ at, message }) => ({ file, ...placeAt(at), message }))
    // One syntax error makes the rest of its line look wrong too.
    .filter(({ line }, index, all) => all[index - 1]?.line !== line);
  return {
    file,
    text,
    mistakes,
    value: aliases === undefined ? readValue(document) : undefined,
    document,
    placeAt,
    place: (path) => placeAt(start(walk(path).node) ?? 0),
    keyPlace: (path) => {
      const { pair, node } = walk(path);
      return placeAt(start(pair?.key) ?? start(node) ?? 0);
    },
    scalar: (path) => {
      const { node, whole } = walk(path);
      return whole && isScalar(node) ? node.value : undefined;
    },
    range: (path) => {
      const { node, whole, isShared } = walk(path);
      const isInLine = isScalar(node)
        ? !node.type?.startsWith("BLOCK")
        : isCollection(node) && node.flow === true;
      return whole && !isShared && isInLine && node?.range ? [node.range[0], node.range[1]] : undefined;
    },
  };
}

interface Unreadable {
  readonly offset: number;
  readonly message: string;
}

/** Says why a text cannot be parsed as YAML at all. */
function unreadableAt(text: string, { what }: YamlWords): Unreadable | undefined {
  if (text.length > LENGTH_MAX) {
    const message = `The file has ${text.length} characters, but a ${what} may have at most ${LENGTH_MAX}. Split it.`;
    return { offset: 0, message };
  }
  const offset = text.search(NOT_TEXT);
  if (offset === -1) return undefined;
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  return {
    offset,
    message: `This is not YAML: the character U+${code} is not text. Save the file as UTF-8.`,
  };
}

function unreadableSource(text: string, file: string, { offset, message }: Unreadable): YamlFile {
  const before = text.slice(0, offset).split("\n");
  const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  return {
    file,
    text: "",
    value: undefined,
    document: undefined,
    mistakes: [{ file, ...place, message }],
    placeAt: () => place,
    place: () => place,
    keyPlace: () => place,
    scalar: () => undefined,
    range: () => undefined,
  };
}

function readValue(document: Document): unknown {
  if (document.errors.length > 0) return undefined;
  return document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown;
}

interface Found {
  node: Node | undefined;
  /** The pair of a map whose value `node` is. */
  pair: Pair | undefined;
  /** True if the path could be followed to its end. */
  whole: boolean;
  /** True if the path leads through an alias or an anchor. */
  isShared: boolean;
}

/** The facts about a document, so that each place is searched for only once. */
interface Index {
  /** The node that each alias names. */
  readonly targets: ReadonlyMap<Alias, Node>;
  /** The pairs of each map that a path led into, by their keys. */
  readonly children: WeakMap<YAMLMap, Map<string, Pair>>;
}

function walkFrom(document: Document, path: Path, index: Index): Found {
  const found: Found = {
    node: document.contents ?? undefined,
    pair: undefined,
    whole: true,
    isShared: false,
  };
  const { isAlias, isNode } = yaml();
  for (const segment of path) {
    if (isAlias(found.node)) {
      found.isShared = true;
      found.node = index.targets.get(found.node) ?? found.node;
    }
    const child = childOf(found.node, segment, index);
    if (child === undefined) return { ...found, whole: false };
    found.pair = child.pair;
    if (child.node) found.node = child.node;
    if (isNode(child.node) && "anchor" in child.node && child.node.anchor !== undefined)
      found.isShared = true;
    found.whole = child.node !== undefined;
  }
  return found;
}

function childOf(
  node: Node | undefined,
  segment: string | number,
  { children }: Index,
): { node?: Node; pair?: Pair } | undefined {
  const { isMap, isScalar, isSeq } = yaml();
  if (isSeq(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? undefined : { node: item as Node };
  }
  if (!isMap(node)) return undefined;
  let pairs = children.get(node);
  if (pairs === undefined) {
    // Of equal keys the first one counts.
    pairs = new Map(
      node.items.toReversed().flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])),
    );
    children.set(node, pairs);
  }
  const pair = pairs.get(String(segment));
  if (pair === undefined) return undefined;
  return pair.value === null ? { pair } : { pair, node: pair.value as Node };
}

function start(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function explain(
  { code, message, offset }: { readonly code: string; readonly message: string; readonly offset: number },
  { text, file, words }: { readonly text: string; readonly file: string; readonly words: YamlWords },
): string {
  if (code === "MULTIPLE_DOCS") return `A second document begins here. Write one ${words.what} per file.`;
  if (message.startsWith("Maximum call stack")) return "The file is nested too deeply to be read.";
  const from = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const help = words.help?.(text.slice(from, end === -1 ? undefined : end)) ?? "";
  const format = extname(file) === ".json" ? "JSON" : "YAML";
  return `This is not ${format}: ${message.replace(/\.?$/, ".")}${help}`;
}

/** Finds the second and every later one of equal keys in one mapping. `<<` may be there more than once. */
function duplicateKeys(document: Document): { at: number; message: string }[] {
  const { isScalar, visit } = yaml();
  const found: { at: number; message: string }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === "<<") continue;
        const message = `The key \`${String(key.value)}\` is written twice in the same place. Keep one of them.`;
        if (keys.has(key.value)) found.push({ at: start(key) ?? 0, message });
        keys.add(key.value);
      }
    },
  });
  return found;
}

/** The maximum number of values after the aliases of a file are resolved. */
const ALIASES_MAX = 1000;

/**
 * Finds the first alias of a document that cannot be expanded. Undefined if all can. Puts their meanings into
 * `targets`.
 */
function aliasProblem(
  document: Document,
  targets: Map<Alias, Node>,
  { aliasAdvice = "" }: YamlWords,
): { at: number; message: string } | undefined {
  const { visit } = yaml();
  let problem: { at: number; message: string } | undefined;
  let first: number | undefined;
  const anchored = new Map<string, Node>();
  visit(document, {
    Value: (_, node) => {
      if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
    Alias: (_, alias, path) => {
      const at = alias.range?.[0] ?? 0;
      first ??= at;
      const target = anchored.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
      if (target === undefined) {
        const message = `\`*${alias.source}\` has no anchor: there is no \`&${alias.source}\` before it.`;
        problem = { at, message };
      } else if (path.includes(target)) {
        problem = { at, message: `\`*${alias.source}\` is inside its own anchor, so it never ends.` };
      }
      return problem === undefined ? undefined : visit.BREAK;
    },
  });
  if (problem !== undefined || first === undefined || isBounded(document)) return problem;
  return {
    at: first,
    message: `The aliases of this file expand to more than ${ALIASES_MAX} values. Write fewer of them${aliasAdvice}.`,
  };
}

function isBounded(document: Document): boolean {
  try {
    document.toJS({ maxAliasCount: ALIASES_MAX });
    return true;
  } catch {
    return false;
  }
}
