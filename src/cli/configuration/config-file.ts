import { closest } from "fastest-levenshtein";
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { FileMistakes } from "../usage-error.ts";
import { keyOf, settingNames } from "./settings.ts";

/** The file that is read where none is named. */
export const CONFIG_FILE = "sandbank.config.yaml";

/** What a configuration file says, by key, and what is wrong with it as a whole. */
export interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly mistakes: readonly string[];
}

/** Reads the configuration file; without one that is named, the one in this folder, if there is one. */
export function readConfigFile(named: unknown): ConfigFile {
  if (Array.isArray(named)) throw new FileMistakes(`--config must be one file; found ${named.length}.`);
  const path = typeof named === "string" ? named : CONFIG_FILE;
  if (named === undefined && !existsSync(path)) return { path, values: {}, mistakes: [] };
  const values = parse(path) ?? {};
  if (typeof values !== "object" || Array.isArray(values)) {
    throw new FileMistakes(
      `${path} must be a mapping of settings to values. Begin with a line such as port: 4010.`,
    );
  }
  const keys = settingNames.map(keyOf);
  const mistakes = Object.keys(values)
    .filter((key) => !keys.includes(key))
    .map((key) => `${path}: there is no setting "${key}". Did you mean ${closest(key, keys)}?`);
  return { path, values: values as Record<string, unknown>, mistakes };
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new FileMistakes(`Failed to read ${path}: ${(error as Error).message}. Name a file that is there.`);
  }
  // Loaded only where there is a file: reading YAML costs a start more than everything else here.
  const { parseDocument } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const document = parseDocument(text);
  const [wrong] = document.errors;
  if (wrong === undefined) return document.toJS() as unknown;
  const { line = 1, col = 1 } = wrong.linePos?.[0] ?? {};
  const [sentence = ""] =
    wrong.code === "MULTIPLE_DOCS" ? ["A second document begins here"] : wrong.message.split(" at line ");
  throw new FileMistakes(`${path}:${line}:${col}: ${sentence}.`);
}
