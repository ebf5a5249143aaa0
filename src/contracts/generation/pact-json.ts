import type { Scenario } from "../../scenarios/scenario.ts";
import { dirname, join, relative, resolve, sep } from "node:path";
import { existsSync } from "node:fs";
import { listAt, textAt } from "../../simulator/engine/json.ts";
import { foldersAbove } from "../../base/package.ts";

/** A rule set for one place: `{ combine, matchers: [{ match: … }] }`. */
export interface MatchingRules {
  readonly combine: "AND" | "OR";
  readonly matchers: readonly Readonly<Record<string, unknown>>[];
}

/** Rules by place, within a part of an interaction. */
export type RulesByPlace = Readonly<Record<string, MatchingRules>>;

export interface Generator {
  readonly type: "ProviderState";
  readonly expression: string;
  readonly dataType: "STRING" | "RAW";
}

export interface PactBody {
  readonly content: unknown;
  readonly contentType: string;
  readonly encoded: false | "base64";
}

interface PactPart {
  readonly body?: PactBody;
  readonly matchingRules?: Readonly<Record<string, MatchingRules | RulesByPlace>>;
  readonly generators?: Readonly<Record<string, Generator | Readonly<Record<string, Generator>>>>;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
}

interface Described {
  readonly description: string;
  readonly providerStates: readonly {
    readonly name: string;
    readonly params?: Readonly<Record<string, unknown>>;
  }[];
  readonly comments: {
    /** The scenario of the interaction: the verifier prints it. */
    readonly references: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

export interface HttpInteraction extends Described {
  readonly type: "Synchronous/HTTP";
  readonly request: PactPart & {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, readonly string[]>>;
  };
  readonly response: PactPart & { readonly status: number };
}

export interface MessageInteraction extends Described {
  readonly type: "Asynchronous/Messages";
  readonly contents: PactBody;
  readonly metadata: Readonly<Record<string, string>>;
  readonly matchingRules: Readonly<Record<string, RulesByPlace>>;
}

export type Interaction = HttpInteraction | MessageInteraction;

/** Writes a pact file of version 4: the same bytes for the same interactions, in any order. */
export function pactText(consumer: string, provider: string, interactions: readonly Interaction[]): string {
  const pact = {
    consumer: { name: consumer },
    interactions: interactions.toSorted((left, right) => (left.description < right.description ? -1 : 1)),
    metadata: { pactSpecification: { version: "4.0" } },
    provider: { name: provider },
  };
  return `${JSON.stringify(pact, null, 2)}\n`;
}

export function rule(matcher: Readonly<Record<string, unknown>>): MatchingRules {
  return { combine: "AND", matchers: [matcher] };
}

/** Returns the reference from an interaction to its scenario. */
export function references({ file, name }: Scenario, step?: number) {
  const own = { file: pathInProject(resolve(file)), name };
  return { references: { scenario: { ...own, ...(step !== undefined && { step: String(step) }) } } };
}

/** Returns the path of a file in its project, which does not depend on the working directory. */
function pathInProject(file: string): string {
  return slashed(relative(projectOf(file) ?? dirname(file), file));
}

/**
 * Adds to a pact in a folder `out` the folders of its scenarios that are outside of any project. `contracts verify`
 * finds the others by their path in the project.
 */
export function withScenarioFolders(text: string, scenarioFiles: readonly string[], out: string): string {
  const loose = scenarioFiles.map((file) => resolve(file)).filter((file) => projectOf(file) === undefined);
  if (loose.length === 0) return text;
  const folders = new Set(loose.map((file) => slashed(relative(resolve(out), dirname(file))) || "."));
  const pact = JSON.parse(text) as { readonly metadata: object };
  const metadata = { ...pact.metadata, sandbank: { scenarioFolders: [...folders].sort() } };
  return `${JSON.stringify({ ...pact, metadata }, null, 2)}\n`;
}

/**
 * Adds the interactions of an existing pact file that are not from scenarios, and everything else that it has.
 * Undefined if the file is not a pact of version 4 of the same two systems.
 */
export function mergedPact(found: string, text: string): string | undefined {
  const [before, after] = [parsedExactly(found), JSON.parse(text) as Pact];
  if (
    !isPact(before) ||
    before.consumer.name !== after.consumer.name ||
    before.provider.name !== after.provider.name
  )
    return undefined;
  const { sandbank: _, ...kept } = before.metadata;
  const others = before.interactions.filter(
    (one) => textAt(one, "comments.references.scenario.file") === undefined,
  );
  const interactions = [...after.interactions, ...others].toSorted((left, right) =>
    left.description < right.description ? -1 : 1,
  );
  const metadata = { ...kept, ...after.metadata };
  return `${JSON.stringify({ ...before, interactions, metadata }, null, 2)}\n`;
}

interface Pact {
  readonly consumer: { readonly name: string };
  readonly provider: { readonly name: string };
  readonly interactions: readonly { readonly description: string }[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

function isPact(value: unknown): value is Pact {
  return (
    textAt(value, "consumer.name") !== undefined &&
    textAt(value, "provider.name") !== undefined &&
    /^4(?:\.|$)/.test(textAt(value, "metadata.pactSpecification.version") ?? "") &&
    listAt(value, "interactions").every((one) => textAt(one, "description") !== undefined)
  );
}

/** Parses JSON so that it is written again with the same digits in its numbers. Undefined for other text. */
function parsedExactly(text: string): unknown {
  const { rawJSON } = JSON as typeof JSON & { rawJSON: (this: void, written: string) => unknown };
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === "number" && context?.source !== undefined ? rawJSON(context.source) : value;
  try {
    return JSON.parse(text, exact) as unknown;
  } catch {
    return undefined;
  }
}

function projectOf(file: string): string | undefined {
  return foldersAbove(file).find((folder) => isProject(folder));
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

function isProject(folder: string): boolean {
  return existsSync(join(folder, "package.json")) || existsSync(join(folder, ".git"));
}
