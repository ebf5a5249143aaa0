import { listed, suggestion } from "../simulator/engine/suggestion.ts";
import {
  type Alias,
  type Document,
  LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from "yaml";
import { isSentByScenario, misreadValues } from "./written-values.ts";

/** A place in a scenario file. Both numbers count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The path of a value in a file: keys and positions, from the top. */
export type Path = readonly (string | number)[];

/** A mistake in a scenario file. It is reported before anything runs. */
export interface ScenarioMistake extends Place {
  readonly file: string;
  /** The found value, and the right value. */
  readonly message: string;
}

/** Writes a mistake as `file:line:column: message`, which terminals and editors turn into a link. */
export function formatMistake(mistake: ScenarioMistake): string {
  return `${mistake.file}:${mistake.line}:${mistake.column}: ${mistake.message}`;
}

/** Returns "Did you mean `x`?" if a known word is similar, otherwise the known words. */
export function hint(written: string, known: readonly string[], all?: string): string {
  return suggestion(written, known, { quote: "`", ...(all !== undefined && { all }) });
}

/** Lists words in backticks: `a`, `b` or `c`. */
export function quoted(words: readonly string[], conjunction: "or" | "and" = "or"): string {
  return listed(
    words.map((word) => `\`${word}\``),
    conjunction,
  );
}

/** Writes a value for a sentence: short, on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** A YAML file and the place of everything in it. */
export interface ScenarioSource {
  readonly file: string;
  readonly text: string;
  /** The file as plain values. Undefined if it is not YAML. */
  readonly value: unknown;
  /** The mistakes in the YAML itself. */
  readonly mistakes: readonly ScenarioMistake[];
  /** Returns the place of the value at `path`, or of the nearest value around it. */
  place(path: Path): Place;
  /** Returns the place of the key at the end of `path`. */
  keyPlace(path: Path): Place;
  /**
   * Returns the range of characters of the value at `path`. Undefined for a value that is not in the file, that spans
   * several lines by its indentation, or that an anchor gives to other places too.
   */
  range(path: Path): readonly [number, number] | undefined;
}

/** The longest recordings are a tenth of it. */
const LENGTH_MAX = 10_000_000;

/** Characters that YAML does not allow, not even in quotes: they come from a binary file. */
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** Reads a YAML file with the place of every value. Never throws. */
export function readSource(text: string, file: string): ScenarioSource {
  const unreadable = unreadableAt(text);
  if (unreadable !== undefined) return unreadableSource(text, file, unreadable);
  const lines = new LineCounter();
  const document = parseDocument(text, {
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
    .map(({ code, message, pos }) => ({ at: pos[0], message: explain(code, message, text, pos[0]) }))
    .concat(duplicateKeys(document))
    .toSorted((a, b) => a.at - b.at);
  const aliases = wrong.length > 0 ? undefined : aliasProblem(document, targets);
  const mistakes = wrong
    .concat(aliases ?? [])
    .map(({ at, message }) => ({ file, ...placeAt(at), message }))
    // One syntax error makes the rest of its line look wrong too.
    .filter(({ line }, index, all) => all[index - 1]?.line !== line)
    .concat(
      misreadValues(document, isSentByScenario).map(({ at, message }) => ({ file, ...placeAt(at), message })),
    );
  return {
    file,
    text,
    mistakes,
    value: aliases === undefined ? readValue(document) : undefined,
    place: (path) => placeAt(start(walk(path).node) ?? 0),
    keyPlace: (path) => {
      const { pair, node } = walk(path);
      return placeAt(start(pair?.key) ?? start(node) ?? 0);
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
function unreadableAt(text: string): Unreadable | undefined {
  if (text.length > LENGTH_MAX) {
    const message = `The file has ${text.length} characters, but a scenario may have at most ${LENGTH_MAX}. Split it.`;
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

function unreadableSource(text: string, file: string, { offset, message }: Unreadable): ScenarioSource {
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

function explain(code: string, message: string, text: string, offset: number): string {
  if (code === "MULTIPLE_DOCS") return "A second document begins here. Write one scenario per file.";
  if (message.startsWith("Maximum call stack")) return "The file is nested too deeply to be read.";
  const from = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(from, end === -1 ? undefined : end);
  const hint = hasUnquotedExpression(line)
    ? ' Inside { } and [ ] an expression has to be in quotes: "${name.id}".'
    : "";
  return `This is not YAML: ${message.replace(/\.?$/, ".")}${hint}`;
}

/** Returns true if an expression in a line of YAML stands in { } or [ ] without quotes. */
export function hasUnquotedExpression(line: string): boolean {
  let isInside = false;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (isInside && !isQuoted && character === "$" && line[at + 1] === "{") return true;
    if (character === '"' || character === "'") isQuoted = true;
    else if (character === "{" || character === "}") isQuoted = false;
    if (character === "{" || character === "[") isInside = true;
  }
  return false;
}

/** Finds the second and every later one of equal keys in one mapping. `<<` may be there more than once. */
function duplicateKeys(document: Document): { at: number; message: string }[] {
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
): { at: number; message: string } | undefined {
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
    message: `The aliases of this file expand to more than ${ALIASES_MAX} values. Write fewer of them, or use \`matrix\` for repeated scenarios.`,
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
