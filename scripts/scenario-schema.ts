import { type Effect, type EffectField, SIDES } from "../src/simulator/platform/faults/effect.ts";
import { type Schema, definition, referencedName } from "../src/simulator/api/schemas.ts";
import {
  acts,
  collectionNames,
  effects,
  eventNames,
  operationIds,
  operations,
  plans,
} from "../src/scenarios/vocabulary.ts";
import { assumptionFields } from "./assumption-fields.ts";
import { serverRoutes } from "./server-routes.ts";

export type Source = Readonly<Record<string, unknown>>;

/** A schema of an object, as the file has it. */
interface Step {
  readonly properties: Readonly<Record<string, Source>>;
  readonly allOf?: readonly Source[];
}

/** The file as it is: the language is written there, by hand. */
export interface ScenarioSchema extends Step {
  readonly $defs: Readonly<Record<string, Step>> & {
    readonly callStep: Step;
    readonly actStep: Step;
    readonly planStep: Step;
    readonly fault: Step;
    readonly resourceExpectation: Step;
  };
}

/**
 * `schemas/source/scenario.schema.json` with the words that scenario files use as they are now: those of the platform and of
 * the interface, and what depends on them. Everything else stays as it is written in the file.
 */
export function withVocabulary(schema: ScenarioSchema): object {
  const { callStep, actStep, planStep, fault, resourceExpectation } = schema.$defs;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      assumptions: { ...schema.properties["assumptions"], properties: assumptionFields(() => ({})) },
    },
    $defs: {
      ...schema.$defs,
      resourceExpectation: withFields(resourceExpectation, { collection: words(collectionNames) }),
      callStep: { ...withFields(callStep, { call: callWords(callStep) }), allOf: parameterRules() },
      actStep: { ...withFields(actStep, { act: actWords() }), allOf: actRules() },
      planStep: { ...withFields(planStep, { plan: words(Object.keys(plans)) }), allOf: outcomeRules() },
      fault: { ...fault, properties: faultFields(fault), allOf: effectRules() },
    },
  };
}

/** A step whose fields have these keywords in place of their own. */
function withFields<One extends Step>(step: One, keywords: Readonly<Record<string, Source>>): One {
  const changed = Object.entries(keywords).map(([name, own]) => [name, { ...step.properties[name], ...own }]);
  return { ...step, properties: { ...step.properties, ...Object.fromEntries(changed) } };
}

export const EXPRESSION = { $ref: "#/$defs/interpolation" };

/** One of these words, or an expression that gives one when the scenario runs. */
export function words(known: readonly unknown[]): Source {
  return { anyOf: [{ enum: known }, EXPRESSION] };
}

/** The schema that applies where the field has one of these values. */
export function when(field: string, values: readonly unknown[], then: Source): Source {
  // oxlint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
  return { if: { required: [field], properties: { [field]: { enum: values } } }, then };
}

/** The operations, and as examples the routes of the server that are no operations. */
function callWords({ properties }: Step): Source {
  const { description, anyOf } = properties["call"] as { description: string; anyOf: readonly unknown[] };
  const isOperation = ({ method, path }: { method: string; path: string }): boolean =>
    Object.values(operations).some((operation) => operation.method === method && operation.path === path);
  return {
    anyOf: [{ enum: operationIds }, ...anyOf.slice(1)],
    examples: serverRoutes()
      .filter((route) => !isOperation(route))
      .map(({ method, path }) => `${method} ${path}`),
    markdownDescription: markdownList(
      description,
      Object.values(operations).map(({ operationId, summary }) => [operationId, `${summary}.`]),
    ),
  };
}

/** The parameters of each operation, which editors complete. Which of them are right is checked with the operation. */
function parameterRules(): Source[] {
  return Object.values(operations).flatMap((operation) => {
    const query = "query" in operation ? (definition(operation.query).schema.properties ?? {}) : {};
    const named = { path: described(operation.parameters), query: described(query) };
    const properties = Object.entries(named)
      .filter(([, parameters]) => Object.keys(parameters).length > 0)
      .map(([part, fields]) => [part, { properties: fields }] as const);
    if (properties.length === 0) return [];
    return [when("call", [operation.operationId], { properties: Object.fromEntries(properties) })];
  });
}

function described(fields: Readonly<Record<string, Schema>>): Source {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { description: descriptionOf(field), ...(field.examples && { examples: field.examples }) },
    ]),
  );
}

function descriptionOf({ description, $ref }: Schema): string {
  return description ?? ($ref === undefined ? "" : descriptionOf(definition(referencedName($ref)).schema));
}

function actWords(): Source {
  const summaries = Array.from(acts.values(), ({ name, summary }) => [name, summary] as const);
  return { ...words([...acts.keys()]), markdownDescription: markdownList("What is done.", summaries) };
}

function actRules(): Source[] {
  const bySchema = Map.groupBy(acts.values(), ({ fields }) => fields ?? "NoFields");
  return Array.from(bySchema, ([name, own]) => {
    const { properties = {}, required = [] } = definition(name).schema;
    const fields = { $use: true, id: { description: "The same as `on`." }, ...described(properties) };
    return when(
      "act",
      own.map((act) => act.name),
      {
        properties: {
          with: { properties: fields, additionalProperties: false, ...(required.length > 0 && { required }) },
        },
        ...(required.length > 0 && { required: ["with"] }),
      },
    );
  });
}

function outcomeRules(): Source[] {
  return Object.entries(plans).map(([plan, outcomes]) =>
    when("plan", [plan], { properties: { outcomes: { items: words(outcomes) } } }),
  );
}

/** The selectors that every fault has, in the file up to `times`; after them come the fields of the effects. */
function faultFields(fault: Step): Source {
  const fields = Object.entries(fault.properties);
  const selectors = fields.slice(0, fields.findIndex(([name]) => name === "times") + 1);
  const lists = SIDES.map((side) => markdownList(HEADINGS[side], effectsOn(side).map(effectLine)));
  return {
    ...withFields(
      { properties: Object.fromEntries(selectors) },
      {
        effect: {
          markdownDescription: ["What goes wrong.", ...lists].join("\n\n"),
          ...words([...effects.keys()]),
        },
        event: { examples: ["SUBSCRIPTION.*", ...eventNames] },
        operation: words(operationIds),
      },
    ).properties,
    ...effectFields(),
  };
}

const HEADINGS: Readonly<Record<(typeof SIDES)[number], string>> = {
  webhook: "On webhooks:",
  api: "On the API:",
  clock: "On the clock:",
};

function effectsOn(side: string): [string, Effect][] {
  return Array.from(effects).filter(([, { on }]) => on === side);
}

function effectLine([name, { onTheWire }]: [string, Effect]): [string, string] {
  return [name, onTheWire];
}

/** The fields of the effects: one that several effects have takes what any of them takes. */
function effectFields(): Source {
  const uses = Array.from(effects).flatMap(([effect, { fields }]) =>
    Object.entries(fields).map(([name, field]) => ({ effect, name, field })),
  );
  const byName = Map.groupBy(uses, ({ name }) => name);
  return Object.fromEntries(
    Array.from(byName, ([name, own]) => {
      const types = [...new Map(own.map(({ field }) => [field.type.kind, fieldSchema(field)])).values()];
      const description = Array.from(
        Map.groupBy(own, ({ field }) => field.description),
        ([text, same]) => `${text} (${same.map(({ effect }) => effect).join(", ")})`,
      ).join(" ");
      return [name, { ...(types.length === 1 ? types[0] : { anyOf: types }), description }];
    }),
  );
}

function fieldSchema({ type }: EffectField): Source {
  switch (type.kind) {
    case "duration":
    case "count":
      return { $ref: `#/$defs/${type.kind}` };
    case "choice":
      return words(type.choices);
    case "flag":
      return { type: "boolean" };
    case "text":
      return { type: "string" };
  }
}

/** The effects of each side, and the fields that an effect requires. */
function effectRules(): Source[] {
  const sides = SIDES.map((side) =>
    when("on", [side], { properties: { effect: words(effectsOn(side).map(([name]) => name)) } }),
  );
  const requirements = Array.from(effects).flatMap(([name, { fields, needsBetween }]) => {
    const required = Object.keys(fields).filter((field) => fields[field]?.required);
    if (needsBetween === true) required.push("between");
    return required.length === 0 ? [] : [when("effect", [name], { required })];
  });
  return [...sides, ...requirements];
}

function markdownList(heading: string, items: readonly (readonly [string, string])[]): string {
  return [heading, "", ...items.map(([name, text]) => `- \`${name}\`: ${text}`)].join("\n");
}
