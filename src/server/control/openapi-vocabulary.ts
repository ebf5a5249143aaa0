import type { Assumption, AssumptionKind } from "../../simulator/platform/assumptions/assumption.ts";
import {
  affects,
  type Effect,
  type EffectField,
  type EffectFieldType,
} from "../../simulator/platform/faults/effect.ts";
import { type EffectName, effectNames, effectOf } from "../../simulator/platform/faults/effects.ts";
import {
  type SelectorName,
  unusableSelectors,
  WALL_DURATION,
} from "../../simulator/platform/faults/reading.ts";
import { componentSchema, type Json } from "../../simulator/api/openapi-schemas.ts";
import { definition } from "../../simulator/api/schemas.ts";
import { operations } from "../../simulator/api/operations.ts";
import { acts, assumptions, catalog, collections, steps } from "../../simulator/platform/catalog.ts";

/**
 * The schemas of the document that the words of the platform decide: its effects, plans and assumptions. The server
 * reads these requests by the same data, and its sentences say more than those of a schema.
 */
export function vocabularySchemas(): Json {
  const faults = effectNames().map((name) => [`${pascalCase(name)}Fault`, faultSchema(name)] as const);
  const plans = Array.from(
    steps,
    ([plan, { step }]) => [`${pascalCase(plan)}Plan`, planSchema(plan, step.outcomes)] as const,
  );
  return {
    ...Object.fromEntries([...faults, ...plans]),
    FaultRequest: union("FaultRequest", "effect", effectNames(), faults),
    PlanRequest: union("PlanRequest", "plan", [...steps.keys()], plans),
    AdvanceRequest: advanceSchema(),
    ClockRequest: { ...componentSchema("ClockRequest"), minProperties: 1 },
    AssumptionValues: assumptionsSchema(),
  };
}

/** Returns a choice between schemas. The value of one field decides. */
function union(
  shape: "FaultRequest" | "PlanRequest",
  field: string,
  values: readonly string[],
  variants: readonly (readonly [name: string, schema: Json])[],
): Json {
  const { description, examples } = definition(shape).schema;
  const paths = variants.map(([name]) => `#/components/schemas/${name}`);
  return {
    description,
    oneOf: paths.map(($ref) => ({ $ref })),
    discriminator: {
      propertyName: field,
      mapping: Object.fromEntries(values.map((value, at) => [value, paths[at]])),
    },
    examples,
  };
}

function object(description: string, properties: Json, required: readonly string[]): Json {
  return {
    description,
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties,
  };
}

/** A fault with one effect: the selectors that the effect can use, and its own fields. */
function faultSchema(name: EffectName): Json {
  const effect = effectOf(name);
  const unusable = unusableSelectors(effect);
  const selectors = Object.entries(selectorSchemas(effect)).filter(
    ([selector]) => !unusable.has(selector as SelectorName),
  );
  const fields = Object.entries(effect.fields).map(
    ([field, one]) => [field, effectFieldSchema(one)] as const,
  );
  const required = fields.map(([field]) => field).filter((field) => effect.fields[field]?.required === true);
  const properties = {
    on: word("What it changes.", effect.on),
    effect: word("The effect.", name),
    ...Object.fromEntries(fields),
    ...Object.fromEntries(selectors),
  };
  const needed = ["on", "effect", ...required, ...(effect.needsBetween === true ? ["between"] : [])];
  return object(effect.onTheWire, properties, needed);
}

/** A field that has one value. Some generators read `enum` and not `const`. */
function word(description: string, value: string): Json {
  return { description, type: "string", enum: [value], const: value };
}

function selectorSchemas(effect: Effect): Readonly<Record<SelectorName, Json>> {
  const { properties } = componentSchema("FaultRequest") as { properties: Readonly<Record<string, Json>> };
  const { on: _on, effect: _effect, attempt, operation, nth, ...others } = properties;
  // An effect of an event begins before its first attempt.
  const first = {
    oneOf: [
      { type: "integer", enum: [1] },
      { type: "array", items: nth, contains: { const: 1 } },
    ],
  };
  return {
    ...others,
    nth,
    operation: { ...operation, enum: Object.keys(operations) },
    attempt: { ...attempt, ...(affects(effect, "event") && first) },
  } as unknown as Readonly<Record<SelectorName, Json>>;
}

function effectFieldSchema({ type, default: preset, description }: EffectField): Json {
  return {
    description,
    ...effectTypeSchema(type),
    ...(preset !== undefined && preset !== null && { examples: [preset] }),
  };
}

function effectTypeSchema(type: EffectFieldType): Json {
  switch (type.kind) {
    case "duration":
      return type.wall === true
        ? { type: "string", pattern: WALL_DURATION.source, examples: ["PT2S"] }
        : { type: "string", format: "duration", examples: ["PT5M"] };
    case "count":
      return { type: "integer", minimum: type.min, maximum: type.max };
    case "choice":
      return { type: "string", enum: type.choices };
    case "flag":
      return { type: "boolean" };
    case "text":
      return { type: "string", pattern: type.pattern, examples: [type.example] };
  }
}

/** A plan for one step, with the outcomes that the step can have. */
function planSchema(plan: string, outcomes: readonly string[]): Json {
  const { properties, required } = componentSchema("PlanRequest") as {
    readonly properties: { readonly plan: Json; readonly on: Json; readonly outcomes: Json };
    readonly required: readonly string[];
  };
  return object(
    `The outcomes of the next steps ${plan}.`,
    {
      plan: word("The step.", plan),
      on: properties.on,
      outcomes: {
        ...properties.outcomes,
        items: { type: "string", enum: outcomes },
        examples: [outcomes.slice(0, 1)],
      },
    },
    required,
  );
}

/** Exactly one of the three fields, and whether it waits. An advance until something always waits. */
function advanceSchema(): Json {
  const { description, properties, examples } = componentSchema("AdvanceRequest") as {
    readonly description: string;
    readonly properties: Readonly<Record<string, Json>>;
    readonly examples: unknown;
  };
  const { by, to, until, wait } = properties;
  const always = { description: "It always waits for webhooks in flight.", type: "boolean", enum: [true] };
  return {
    description,
    oneOf: [
      object("Moves it by a duration.", { by, wait }, ["by"]),
      object("Moves it to a time.", { to, wait }, ["to"]),
      object("Moves it until something is due, or until nothing is due.", { until, wait: always }, ["until"]),
    ],
    examples,
  };
}

/**
 * The assumptions that can be set, each with its type. Its example is its default: generators take a `default` for
 * required.
 */
function assumptionsSchema(): Json {
  const { description, examples } = definition("AssumptionValues").schema;
  const settable = Object.entries<Assumption<unknown>>(assumptions).filter(
    ([, { type }]) => type.kind !== "statement",
  );
  const properties = settable.map(([id, { says, type, default: preset }]) => [
    id,
    { description: says, ...assumptionTypeSchema(type), examples: [preset] },
  ]);
  return { ...object(description ?? "", Object.fromEntries(properties) as Json, []), examples };
}

/** Returns the schema of the values of a kind of assumption, as JSON has them. */
export function assumptionTypeSchema(type: AssumptionKind): Json {
  switch (type.kind) {
    case "statement":
      return {};
    case "flag":
      return { type: "boolean" };
    case "duration":
      return { type: "string", format: "duration", ...(type.clock === "wall" && { pattern: "^PT" }) };
    case "durations":
      return {
        type: "array",
        items: { type: "string", format: "duration" },
        minItems: type.length,
        maxItems: type.length,
      };
    case "time":
      return { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$" };
    case "amount":
      return { type: "string", pattern: "^[0-9]{1,10}(\\.[0-9]{1,2})?$" };
    case "count":
      return { type: "integer", minimum: type.min, maximum: type.max };
    case "choice":
      return { type: "string", enum: type.choices };
  }
}

/** Writes `order.payment` and `duplicate-late` as `OrderPayment` and `DuplicateLate`. */
function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/);
  return words.map((one) => one.charAt(0).toUpperCase() + one.slice(1)).join("");
}

/** Returns the words that a parameter takes, if the platform decides them. */
export function knownWords(operationId: string, name: string): readonly string[] | undefined {
  if (operationId === "listObjects" && name === "status")
    return [...new Set(catalog.flatMap(({ lifecycles: [own] }) => own?.states ?? []))].toSorted();
  return WORDS[name];
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  act: [...acts.keys()],
  collection: [...collections.keys()],
  operation: Object.keys(operations),
  injected: ["true", "false", ...effectNames()],
};
