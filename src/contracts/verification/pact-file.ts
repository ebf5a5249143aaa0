import { readUserFile, readUserText } from "../../base/user-file.ts";
import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { at, listAt, textAt } from "../../simulator/engine/json.ts";
import { filesBelow } from "../../base/files-below.ts";
import { FileMistakes } from "../../base/failures.ts";

/** The relevant parts of one interaction of a pact, in any version of the format. */
export interface PactInteraction {
  readonly description: string;
  readonly type: "http" | "message";
  /** The names of its provider states. */
  readonly states: readonly string[];
  readonly request?: { readonly method: string; readonly path: string; readonly authorization?: string };
  /** The values that its generators need from the states. */
  readonly requiredValues: readonly string[];
  /** The status that the consumer expects. */
  readonly status?: number;
}

/** A pact file. */
export interface PactFile {
  readonly file: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** The scenario files that it names as its source. */
  readonly scenarios: readonly string[];
  /** The folders of those files, if they are outside of any project. */
  readonly scenarioFolders: readonly string[];
}

/** Reads pact files and folders of them. Throws `FileMistakes` that names every file that is not a pact. */
export function readPacts(paths: readonly string[], note?: (text: string) => void): PactFile[] {
  const mistakes: string[] = [];
  const pacts = paths.flatMap((path) => pactsAt(path, mistakes, note));
  if (mistakes.length > 0) throw new FileMistakes(mistakes.join("\n"));
  return pacts;
}

/** Reads the pacts at a path. In a folder with other pacts, a pact without interactions is left out with a note. */
function pactsAt(
  path: string,
  mistakes: string[],
  note: (text: string) => void = () => undefined,
): PactFile[] {
  const read = filesAt(path, mistakes).map((file) => ({ file, own: [] as string[] }));
  const pacts = read.map(({ file, own }) => readPact(file, own));
  const isFilled = pacts.some((pact) => pact !== undefined && pact.interactions.length > 0);
  return pacts.flatMap((pact, index) => {
    const { file, own } = read[index]!;
    mistakes.push(...own);
    if (pact === undefined || pact.interactions.length > 0) return pact ?? [];
    if (isFilled) note(`Left out ${file}: it has no interactions.\n`);
    else mistakes.push(`Failed to read ${file}: it has no interactions. Name a pact file of a consumer.`);
    return [];
  });
}

function filesAt(path: string, mistakes: string[]): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    mistakes.push(`Failed to read ${path}: there is no such file or folder. Name a pact file.`);
    return [];
  }
  if (!stats.isDirectory()) return [path];
  const files = filesBelow(path, /\.json$/i).map((file) => join(path, file));
  if (files.length === 0)
    mistakes.push(
      `Failed to find pacts in ${path}: the folder has no .json file. Name another folder, or write pacts with sandbank contracts generate.`,
    );
  return files;
}

function readPact(file: string, mistakes: string[]): PactFile | undefined {
  let pact: unknown;
  try {
    pact = JSON.parse(readUserText(file));
  } catch (error) {
    mistakes.push(`Failed to read ${file}: ${(error as Error).message}. Name a pact file in JSON.`);
    return undefined;
  }
  const [consumer, provider] = [textAt(pact, "consumer.name"), textAt(pact, "provider.name")];
  const interactions = [listAt(pact, "interactions"), listAt(pact, "messages")].flat();
  const hasList = [at(pact, "interactions"), at(pact, "messages")].some((list) => Array.isArray(list));
  if (consumer === undefined || provider === undefined || !hasList) {
    const missing =
      consumer === undefined ? "consumer.name" : provider === undefined ? "provider.name" : "interactions";
    mistakes.push(`Failed to read ${file}: it has no ${missing}. Name a pact file of a consumer.`);
    return undefined;
  }
  const scenarios = interactions.flatMap((one) => textAt(one, "comments.references.scenario.file") ?? []);
  return {
    file,
    consumer,
    provider,
    interactions: interactions.map(interactionOf),
    scenarios: [...new Set(scenarios)],
    scenarioFolders: listAt(pact, "metadata.sandbank.scenarioFolders")
      .filter((folder) => typeof folder === "string")
      .map((folder) => resolve(dirname(file), folder)),
  };
}

/** Returns the path of a pact in UTF-8 without a byte order mark: the file, or a copy of it in a folder. */
export function plainPact(file: string, folder: string): string {
  const { text, encoding, isMarked } = readUserFile(file);
  if (encoding === "utf-8" && !isMarked) return file;
  const copy = join(mkdtempSync(join(folder, "pact-")), basename(file));
  writeFileSync(copy, text);
  return copy;
}

function interactionOf(interaction: unknown): PactInteraction {
  const states = [
    ...listAt(interaction, "providerStates").map((state) => textAt(state, "name") ?? ""),
    textAt(interaction, "providerState") ?? textAt(interaction, "provider_state"),
  ].filter((state) => state !== undefined);
  const requiredValues = [at(interaction, "request.generators"), at(interaction, "response.generators")]
    .flatMap((generators) => [...(JSON.stringify(generators) ?? "").matchAll(/\$\{(\w+)\}/g)])
    .map(([, name = ""]) => name);
  const described = { description: textAt(interaction, "description") ?? "", states, requiredValues };
  const request = at(interaction, "request");
  const type = textAt(interaction, "type") ?? (request === undefined ? "Asynchronous" : "Synchronous/HTTP");
  if (type !== "Synchronous/HTTP") return { ...described, type: "message" };
  const status = at(interaction, "response.status");
  const authorization = authorizationOf(at(request, "headers"));
  return {
    ...described,
    type: "http",
    request: {
      method: (textAt(request, "method") ?? "GET").toUpperCase(),
      path: textAt(request, "path") ?? "/",
      ...(authorization !== undefined && { authorization }),
    },
    ...(typeof status === "number" && { status }),
  };
}

function authorizationOf(headers: unknown): string | undefined {
  const [, value] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : undefined;
}
