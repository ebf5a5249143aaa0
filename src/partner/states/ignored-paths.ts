import type { NamedState } from "./naming.ts";
import { compile, JSONPathError } from "json-p3";

/** A JSONPath (RFC 9535) that selects the parts to leave out of a comparison. */
export interface IgnoredPath {
  readonly path: string;
  /** The places that it selects in a value, each once. */
  readonly locationsIn: (value: unknown) => Location[];
}

/** Reads a JSONPath, or returns its mistake. */
export function readIgnoredPath(path: string): IgnoredPath | { readonly mistake: string } {
  try {
    const query = compile(path);
    const locationsIn = (value: unknown): Location[] => {
      const nodes = query.query(value as never).nodes.map((node) => [node.path, node.location] as const);
      return [...new Map(nodes).values()];
    };
    return { path, locationsIn };
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    const found = error.message.replace(/ \(.*\)$/s, "");
    return { mistake: `\`${path}\` is not a JSONPath: ${found}. Write one such as \`$.members[*].seenAt\`.` };
  }
}

/** Returns a state without the selected parts. */
export function withoutIgnored(state: NamedState, paths: readonly IgnoredPath[]): NamedState {
  if (paths.length === 0 || typeof state.value !== "object" || state.value === null) return state;
  let value: unknown = structuredClone(state.value);
  for (const { locationsIn } of paths) {
    // From the back, so that the positions of the others stay right.
    for (const location of locationsIn(value).toReversed()) {
      const key = location.at(-1);
      if (key === undefined) value = undefined;
      else remove(parentOf(value, location), key);
    }
  }
  return { ...state, value };
}

type Location = readonly (string | number)[];

function parentOf(value: unknown, location: Location): unknown {
  return location
    .slice(0, -1)
    .reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

function remove(parent: unknown, key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (typeof parent === "object" && parent !== null) delete (parent as Record<string, unknown>)[key];
}
