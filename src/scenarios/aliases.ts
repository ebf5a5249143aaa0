import { visit } from "yaml";
import type { Document, Node } from "yaml";

/** How many values the aliases of a file may stand for altogether. */
export const ALIASES_MAX = 1000;

/** The first alias of a document that cannot be put in, with where it stands; undefined when all can. */
export function aliasProblem(document: Document): { at: number; message: string } | undefined {
  let problem: { at: number; message: string } | undefined;
  let first: number | undefined;
  visit(document, {
    Alias: (_, alias, path) => {
      const at = alias.range?.[0] ?? 0;
      first ??= at;
      const target = alias.resolve(document) as Node | undefined;
      if (target === undefined) {
        const message = `\`*${alias.source}\` repeats nothing: no \`&${alias.source}\` stands before it.`;
        problem = { at, message };
      } else if (path.includes(target)) {
        problem = { at, message: `\`*${alias.source}\` stands inside what it repeats, which never ends.` };
      }
      return problem === undefined ? undefined : visit.BREAK;
    },
  });
  if (problem !== undefined || first === undefined || isBounded(document)) return problem;
  return { at: first, message: `The aliases of this file stand for more than ${ALIASES_MAX} values.` };
}

function isBounded(document: Document): boolean {
  try {
    document.toJS({ maxAliasCount: ALIASES_MAX });
    return true;
  } catch {
    return false;
  }
}
