import { type Pair, isMap, isNode, isScalar, parseDocument, stringify } from "yaml";
import { isDeepStrictEqual } from "node:util";
import { currentId, readAssumptions } from "../simulator/platform/assumptions/reading.ts";
import { CommandFailure } from "../base/failures.ts";
import type { CalibratedConfig } from "../checks/calibration/report.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { makeFolder, unwritable } from "./output.ts";
import { dirname, resolve } from "node:path";
import { createUserFile, readUserFile, replaceUserFile } from "../base/user-file.ts";

/** Writes the observed values to a configuration file. Everything else in an existing file stays as it is. */
export async function writeCalibration(path: string, config: CalibratedConfig): Promise<void> {
  try {
    await makeFolder(resolve(dirname(path)));
    if (createUserFile(path, newText(config))) return;
    const file = readUserFile(path);
    const isBlank = file.text.trim() === "";
    replaceUserFile(file, isBlank ? newText(config) : mergedText(file.text, config));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw unwritable(path, error as NodeJS.ErrnoException);
  }
}

function newText({ head, values, left }: CalibratedConfig): string {
  const lines = [
    ...head,
    values.length === 0 ? "assumptions: {}" : "assumptions:",
    ...values.flatMap(linesOf),
    ...(left.length === 0 ? [] : ["", ...left]),
  ];
  return `${lines.join("\n")}\n`;
}

type Value = CalibratedConfig["values"][number];

/** Returns the lines of a value, with its evidence in a comment. */
function linesOf({ id, value, evidence }: Value): string[] {
  const written = stringify({ [id]: value }, { lineWidth: 0 }).trimEnd();
  return [`# ${evidence}`, ...written.split("\n")].map((line) => `  ${line}`);
}

/** Puts the values into the text of a configuration file: each over its old value, or after the others. */
function mergedText(text: string, config: CalibratedConfig): string {
  const before = parsedOrThrow(text);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  let merged = withoutRemarks(text);
  for (const one of config.values) merged = withValue(merged, one, lineEnd);
  if (config.left.length > 0)
    merged = `${ended(merged, lineEnd)}${lineEnd}${config.left.join(lineEnd)}${lineEnd}`;
  const after = parsedOrThrow(merged);
  const wanted = { ...before, assumptions: { ...assumptionsOf(before) } as Record<string, unknown> };
  for (const { id, value } of config.values) wanted.assumptions[keyIn(wanted.assumptions, id)] = value;
  if (config.values.length > 0 && !isDeepStrictEqual(after, wanted))
    throw new Error("its assumptions are not written as a plain mapping");
  const known = readAssumptions(assumptionsOf(before)).mistakes;
  const mistake = readAssumptions(wanted.assumptions).mistakes.find((one) => !known.includes(one));
  if (mistake !== undefined) throw new Error(`with the observed values, ${mistake.replace(/\.$/, "")}`);
  return merged;
}

function parsedOrThrow(text: string): Record<string, unknown> {
  const document = parseDocument(text);
  const value = document.errors.length > 0 ? undefined : ((document.toJS() ?? {}) as unknown);
  if (!isRecord(value)) throw new Error("it is not a configuration file");
  return value;
}

function assumptionsOf(configuration: Record<string, unknown>): Record<string, unknown> {
  const { assumptions = {} } = configuration;
  if (assumptions !== null && !isRecord(assumptions)) throw new Error("its assumptions are not a mapping");
  return assumptions ?? {};
}

/** Returns the key of an assumption in a file, which may have an older id. */
function keyIn(assumptions: object, id: string): string {
  return Object.keys(assumptions).find((key) => currentId(key) === id) ?? id;
}

/** Returns the text without the list of values that an earlier calibration could not set. */
function withoutRemarks(text: string): string {
  return text.replace(/(\r?\n)\r?\n# Not set:\r?\n(?:# .*(?:\r?\n|$))*$/, "$1");
}

/** Puts one value into the text. The caller checks the meaning of the new text. */
function withValue(text: string, one: Value, lineEnd: string): string {
  const { contents } = parseDocument(text);
  const top = isMap(contents) ? contents : undefined;
  const section = top?.items.find(({ key }) => keyText(key) === "assumptions");
  const map = isMap(section?.value) ? section.value : undefined;
  const own = map?.items.find(({ key }) => currentId(keyText(key) ?? "") === one.id);
  if (own !== undefined) return withNewValue(text, own, one, lineEnd);
  const member = `${JSON.stringify(one.id)}: ${JSON.stringify(one.value)}`;
  const [first] = map?.items ?? [];
  if (map?.flow === true && first !== undefined) return insertAt(text, startOf(first), `${member}, `);
  if (map !== undefined && first !== undefined) {
    const at = text.lastIndexOf("\n", startOf(first)) + 1;
    const indent = text.slice(at, startOf(first));
    return insertAt(
      text,
      at,
      linesOf(one)
        .map((line) => indent + line.slice(2) + lineEnd)
        .join(""),
    );
  }
  const lines = linesOf(one).join(lineEnd);
  if (top?.flow === true) {
    const [begin] = top.items;
    if (section !== undefined || begin === undefined)
      throw new Error("its assumptions have no place for a value");
    return insertAt(text, startOf(begin), `"assumptions": { ${member} }, `);
  }
  if (section === undefined) return `${ended(text, lineEnd)}assumptions:${lineEnd}${lines}${lineEnd}`;
  const [from, to] = [endOf(section.key), endOf(section.value) ?? endOf(section.key)];
  if (from === undefined || to === undefined) throw new Error("its assumptions have no place for a value");
  return `${text.slice(0, from)}:${lineEnd}${lines}${lineEnd}${text.slice(to).replace(/^[ \t]*:?[ \t]*(?:\r?\n)?/, "")}`;
}

/** Replaces a value, and the evidence of an earlier calibration above it. */
function withNewValue(text: string, own: Pair, { value, evidence }: Value, lineEnd: string): string {
  const [from, to] = [endOf(own.key), endOf(own.value)];
  if (from === undefined || to === undefined) throw new Error("one of its assumptions has no value");
  const isBlock = text[to - 1] === "\n";
  const replaced = `${text.slice(0, from)}: ${JSON.stringify(value)}${isBlock ? lineEnd : ""}${text.slice(to)}`;
  const line = text.lastIndexOf("\n", startOf(own)) + 1;
  const above = text
    .slice(0, line)
    .replace(/(\n[ \t]*# )\d+ observations?\b.*; assumed .*(\r?\n)$/, (_, start, end) => {
      return `${start}${evidence}${end}`;
    });
  return above + replaced.slice(line);
}

function insertAt(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/** Returns the text with an end of its last line. */
function ended(text: string, lineEnd: string): string {
  return text === "" || text.endsWith("\n") ? text : text + lineEnd;
}

function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function startOf({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}

/** Returns the end of a key or a value. */
function endOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[1] : undefined;
}
