import { readScenarioSchema } from "./schema.ts";

/** The words that the scenario schema knows, so that they can be held against what the sandbox really does. */
export interface ScenarioVocabulary {
  readonly operationIds: readonly string[];
  readonly acts: readonly string[];
  /** The outcomes of each plan, by its name. */
  readonly plans: { readonly [plan: string]: readonly string[] };
  readonly effects: { readonly webhook: readonly string[]; readonly api: readonly string[] };
  /** The fields that an effect has beside the selectors of every fault. */
  readonly effectFields: { readonly [effect: string]: readonly string[] };
  readonly collections: readonly string[];
}

export function scenarioVocabulary(): ScenarioVocabulary {
  const { callStep, actStep, planStep, fault, resourceExpectation } = readScenarioSchema().$defs;
  const conditions = (of: unknown, key: string): Map<string, readonly string[]> =>
    new Map(
      (at(of, "allOf") as unknown[]).flatMap((rule) => {
        const when = enumOf(at(rule, "if", "properties", key)) ?? [];
        const outcomes =
          at(rule, "then", "properties", "outcomes", "items") ?? at(rule, "then", "properties", "effect");
        const words = outcomes === undefined ? undefined : enumOf(outcomes);
        return words === undefined ? [] : when.map((word) => [word, words] as const);
      }),
    );
  const effects = conditions(fault, "on");
  return {
    operationIds: enumOf(at(callStep, "properties", "call")) ?? [],
    acts: enumOf(at(actStep, "properties", "act")) ?? [],
    plans: Object.fromEntries(conditions(planStep, "plan")),
    effects: { webhook: effects.get("webhook") ?? [], api: effects.get("api") ?? [] },
    effectFields: at(fault, "x-fields-of-effects") as { [effect: string]: string[] },
    collections: enumOf(at(resourceExpectation, "properties", "collection")) ?? [],
  };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (found as { [key: string]: unknown } | undefined)?.[key],
    value,
  );
}

/** The words of an `enum`, also where it is one alternative beside an expression. */
function enumOf(schema: unknown): readonly string[] | undefined {
  const alternatives = (at(schema, "anyOf") as unknown[] | undefined) ?? [schema];
  return alternatives
    .map((one) => at(one, "enum") as string[] | undefined)
    .find((words) => words !== undefined);
}
