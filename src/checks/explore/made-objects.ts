import { externalIdIn, type PlayedCall } from "./calls.ts";

/**
 * Returns the objects that were made by calls whose body names them: the name in the body, and the same with names for
 * texts that only its run has.
 */
export function madeObjects(
  calls: readonly PlayedCall[],
  nameOf: (text: string) => string,
): { readonly operation: string; readonly text: string; readonly name: string }[] {
  return calls.flatMap(({ operation, isCarriedOut, body }) => {
    const text = isCarriedOut ? externalIdIn(body) : undefined;
    return text === undefined ? [] : [{ operation, text, name: nameOf(text) }];
  });
}

/**
 * Returns the objects of a run with other names than in the baseline, each with its name there. A system may use a new
 * name for each try. Operations with another number of objects than in the baseline are left out.
 */
export function renamedObjects(
  baseline: ReturnType<typeof madeObjects>,
  found: ReturnType<typeof madeObjects>,
): Map<string, string> {
  const renames = new Map<string, string>();
  const before = Map.groupBy(baseline, ({ operation }) => operation);
  for (const [operation, own] of Map.groupBy(found, (made) => made.operation)) {
    const known = before.get(operation) ?? [];
    if (known.length !== own.length) continue;
    const left = known.filter(({ name }) => own.every((made) => made.name !== name));
    const others = own.filter(({ name }) => known.every((made) => made.name !== name));
    if (left.length !== others.length) continue;
    for (const [index, { text }] of others.entries()) renames.set(text, left[index]!.name);
  }
  return renames;
}
