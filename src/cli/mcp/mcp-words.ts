import {
  acts,
  assumptions,
  collectionNames,
  effects,
  eventNames,
  operationIds,
  operations,
  plans,
} from "../../scenarios/vocabulary.ts";
import { bodyNames, scenarioContext, useBodies } from "../../scenarios/context.ts";
import { definition, exampleOf, inlinedSchema } from "../../simulator/api/schemas.ts";
import { events } from "../../simulator/api/events.ts";
import { hint } from "../../scenarios/source.ts";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SHIPPED_SCENARIOS } from "../../scenarios/scenario-files.ts";
import { UsageError } from "../../base/failures.ts";

/** The shipped scenarios: the name for `run_scenario`, and the title in the file. */
function shippedFiles(): { readonly name: string; readonly title: string }[] {
  return globSync("**/*.yaml", { cwd: SHIPPED_SCENARIOS })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(SHIPPED_SCENARIOS, file), "utf8");
      const [, title = ""] = /^(?:name|state): *(.*)$/m.exec(text) ?? [];
      return { name: file.replaceAll("\\", "/").replace(/\.yaml$/, ""), title };
    });
}

interface Words {
  readonly list: () => unknown;
  readonly names: () => readonly string[];
  readonly show: (name: string) => unknown;
}

/** The lists that `describe` shows. All other modules use the same lists. */
export const WORDS = {
  operations: {
    names: () => operationIds,
    list: () =>
      Object.values(operations).map(({ operationId, method, path, summary }) => ({
        operationId,
        method,
        path,
        summary,
      })),
    show: (name) => {
      const operation = operations[name as keyof typeof operations];
      return {
        ...operation,
        ...("request" in operation && {
          requestSchema: inlinedSchema(operation.request),
          requestExample: exampleOf(definition(operation.request).schema),
        }),
        ...("query" in operation && { querySchema: inlinedSchema(operation.query) }),
        ...("response" in operation && { responseExample: exampleOf(definition(operation.response).schema) }),
      };
    },
  },
  acts: {
    names: () => [...acts.keys()],
    list: () =>
      Array.from(acts.values(), ({ name, collection, summary }) => ({ act: name, collection, summary })),
    show: (name) => {
      const act = acts.get(name);
      return {
        act: name,
        collection: act?.collection,
        summary: act?.summary,
        fields: act?.fields ? inlinedSchema(act.fields) : null,
      };
    },
  },
  plans: {
    names: () => Object.keys(plans),
    list: () => Object.entries(plans).map(([plan, outcomes]) => ({ plan, outcomes })),
    show: (name) => ({ plan: name, outcomes: plans[name] }),
  },
  effects: {
    names: () => [...effects.keys()],
    list: () => Array.from(effects, ([effect, { on, onTheWire }]) => ({ effect, on, onTheWire })),
    show: (name) => {
      const effect = effects.get(name);
      return { effect: name, on: effect?.on, onTheWire: effect?.onTheWire, fields: effect?.fields };
    },
  },
  events: {
    names: () => eventNames,
    list: () => Object.entries(events).map(([event, { summary }]) => ({ event, summary })),
    show: (name) => events[name as keyof typeof events],
  },
  assumptions: {
    names: () => Object.keys(assumptions),
    list: () =>
      Object.entries(assumptions).map(([id, assumption]) => ({
        id,
        says: assumption.says,
        default: assumption.default,
      })),
    show: (name) => assumptions[name],
  },
  fixtures: {
    names: () => bodyNames(scenarioContext().bodies),
    list: () => bodyNames(scenarioContext().bodies),
    show: (name) => useBodies({ $use: name }, scenarioContext().bodies, () => {}),
  },
  scenarios: {
    names: () => shippedFiles().map(({ name }) => name),
    list: () => shippedFiles(),
    show: (name) => shippedFiles().find((one) => one.name === name),
  },
  collections: { names: () => collectionNames, list: () => collectionNames, show: (name) => name },
} as const satisfies Readonly<Record<string, Words>>;

/**
 * Returns the words of a kind, or one of them with its schema and an example. Throws a `UsageError` for an unknown one.
 */
export function described(what: keyof typeof WORDS, name: string | undefined): unknown {
  const words: Words = WORDS[what];
  if (name === undefined) return words.list();
  if (words.names().includes(name)) return words.show(name);
  throw new UsageError(
    `Failed to describe "${name}": unknown name of ${what}. ${hint(name, words.names(), "`describe` without `name`")}`,
  );
}
