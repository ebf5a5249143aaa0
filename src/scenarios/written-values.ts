import { type Document, type Node, type Pair, isPair, isScalar, visit } from "yaml";

/** The fields of a step that leave the sandbox as text, or as JSON in which a number has no other form. */
const SENT: ReadonlySet<unknown> = new Set(["key", "headers", "query", "path", "body"]);

/** The fields of a file whose values may be filled into such fields. */
const FILLED_IN: ReadonlySet<unknown> = new Set(["matrix", "params"]);

/** The numbers of more digits are rounded. */
const EXACT_LENGTH_MAX = 15;

/**
 * Finds the values that YAML reads as numbers or booleans, and that would be sent with another text: `0123` as `123`,
 * a number of twenty digits with zeros at its end. `isSent` says if the value below these nodes can be sent.
 */
export function misreadValues(
  document: Document,
  isSent: (path: readonly (Document | Node | Pair)[]) => boolean = () => true,
): { at: number; message: string }[] {
  const found: { at: number; message: string }[] = [];
  visit(document, {
    Scalar: (key, { source, value, range }, path) => {
      const read = value === null && key === "key" ? "" : textOf(value);
      if (read === undefined || source === undefined || read === source || !isSent(path)) return;
      const other = read !== "" && read.length <= EXACT_LENGTH_MAX ? `, or write ${read}` : "";
      const message = `\`${source}\` would be sent as \`${read}\`, because YAML does not read it as text. Write it in quotes${other}.`;
      found.push({ at: range?.[0] ?? 0, message });
    },
  });
  return found;
}

/** Returns the text of a number or a boolean. Undefined for other values. */
function textOf(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/**
 * Returns true if a value of a scenario below these nodes can be sent. The places of an alias are not known here, so
 * a value with an anchor counts too.
 */
export function isSentByScenario(path: readonly (Document | Node | Pair)[]): boolean {
  const keys = path.filter(isPair).map(({ key }) => (isScalar(key) ? key.value : undefined));
  const [top, ...below] = keys;
  if (FILLED_IN.has(top) || path.some((node) => "anchor" in node && node.anchor !== undefined)) return true;
  return top === "steps" && !below.includes("expect") && below.some((key) => SENT.has(key));
}
