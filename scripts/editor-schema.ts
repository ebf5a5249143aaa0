import { definition, referencedName, type Schema } from "../src/simulator/api/schemas.ts";
import { DURATION_PATTERN } from "./published-schema.ts";
import { assumptionFields, valueSchema } from "./assumption-fields.ts";
import { effects, eventNames, operations } from "../src/scenarios/vocabulary.ts";
import { EXPRESSION, type ScenarioSchema, type Source, when } from "./scenario-schema.ts";

/**
 * Returns the scenario schema for editors. It also describes what the runner checks with the data of the platform: the
 * body of each operation, the fields of each effect, the events and the assumptions.
 */
export function editorSchema(schema: ScenarioSchema): object {
  const { callStep, fault, observation, answerExpectation } = schema.$defs;
  const bodies = new Bodies();
  const rules = bodyRules(bodies);
  const { examples: _, ...call } = callStep.properties["call"] ?? {};
  return {
    ...schema,
    properties: {
      ...schema.properties,
      assumptions: {
        ...schema.properties["assumptions"],
        properties: assumptionFields((type) => ({ anyOf: [valueSchema(type), EXPRESSION] })),
        additionalProperties: false,
      },
    },
    $defs: {
      ...schema.$defs,
      duration: {
        ...schema.$defs["duration"],
        anyOf: [{ type: "string", pattern: DURATION_PATTERN }, EXPRESSION],
      },
      // Editors sort the examples between the operations.
      callStep: {
        ...callStep,
        properties: { ...callStep.properties, call },
        allOf: [...(callStep.allOf ?? []), ...rules],
      },
      fault: {
        ...fault,
        properties: { ...fault.properties, event: eventName(fault.properties["event"]) },
        allOf: [...(fault.allOf ?? []), ...fieldRules()],
      },
      observation: withEvents(observation),
      answerExpectation: withEvents(answerExpectation),
      ...eventLists(),
      ...bodies.definitions,
    },
  };
}

/** An event by its name, or a pattern of names. */
function eventName(field: Source = {}): Source {
  const { type: _, examples: __, ...rest } = field;
  return { ...rest, anyOf: [{ enum: eventNames }, { type: "string", pattern: "\\*" }, EXPRESSION] };
}

/** The fields of other effects are mistakes at an effect. */
function fieldRules(): Source[] {
  const all = new Set(Array.from(effects.values(), ({ fields }) => Object.keys(fields)).flat());
  return Array.from(effects, ([name, { fields }]) => {
    const others = Array.from(all).filter((field) => !Object.hasOwn(fields, field));
    return when("effect", [name], {
      properties: Object.fromEntries(others.map((field) => [field, false])),
    });
  });
}

/** The lists of webhooks and deliveries, with the names of their events. */
function withEvents(part: ScenarioSchema["$defs"][string] | undefined): Source {
  const properties = Object.fromEntries(
    Object.entries(part?.properties ?? {}).map(([name, field]) => [
      name,
      name === "webhooks" || name === "deliveries" ? { ...field, $ref: "#/$defs/expectedEvents" } : field,
    ]),
  );
  return { ...part, properties };
}

function eventLists(): Source {
  const one = { $ref: "#/$defs/expectedEvent" };
  const list = { items: one };
  return {
    expectedEvents: {
      allOf: [
        { $ref: "#/$defs/expected" },
        ofType("array", list),
        ofType("object", {
          properties: { $unordered: ofType("array", list), $inOrder: ofType("array", list), $each: one },
        }),
      ],
    },
    expectedEvent: {
      allOf: [
        { $ref: "#/$defs/expected" },
        ofType("object", {
          properties: { event: { anyOf: [{ enum: eventNames }, { type: "object" }, EXPRESSION] } },
        }),
      ],
    },
  };
}

/** The schema of the values of one type. */
function ofType(type: string, schema: Source): Source {
  // oxlint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
  return { if: { type }, then: { type, ...schema } };
}

/** The body of each operation. A step that expects a refusal may send any body. */
function bodyRules(bodies: Bodies): Source[] {
  return Object.values(operations).flatMap(({ operationId, request }) => {
    if (request === undefined) return [];
    const body = { properties: { body: bodies.of(request) } };
    const expectsRefusal = {
      required: ["expect"],
      properties: {
        expect: {
          type: "object",
          required: ["status"],
          properties: { status: { type: "integer", minimum: 400 } },
        },
      },
    };
    return [when("call", [operationId], { if: expectsRefusal, else: body })];
  });
}

/** The names and the words of request bodies. Values may be expressions, so their types are left out. */
class Bodies {
  readonly definitions: Record<string, Source> = {};

  /** Returns a reference to the body with the name of its shape. */
  of(name: string): Source {
    const place = `body.${name}`;
    if (this.definitions[place] === undefined) {
      this.definitions[place] = {};
      this.definitions[place] = this.#loose(definition(name).schema);
    }
    return { $ref: `#/$defs/${place}` };
  }

  #loose(schema: Schema): Source {
    const { $ref, description, examples } = schema;
    const shown = { ...(description !== undefined && { description }), ...(examples && { examples }) };
    if ($ref !== undefined) return { ...this.of(referencedName($ref)), ...shown };
    const properties = this.#properties(schema);
    if (Object.keys(properties).length > 0) {
      const fields = { $use: { $ref: "#/$defs/use" }, $absent: true, ...properties };
      const { additionalProperties = false } = schema;
      return { ...shown, ...ofType("object", { properties: fields, additionalProperties }) };
    }
    if (schema.items !== undefined)
      return { ...shown, ...ofType("array", { items: this.#loose(schema.items) }) };
    if (schema.enum !== undefined) return { ...shown, anyOf: [{ enum: schema.enum }, ABSENT, EXPRESSION] };
    return shown;
  }

  /** Returns the properties of a schema and of its parts. */
  #properties(schema: Schema): Record<string, Source> {
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    const inherited = [...parts, schema.then, schema.else].flatMap((part) =>
      part === undefined ? [] : [this.#properties(resolved(part))],
    );
    const own = Object.entries(schema.properties ?? {}).filter(([, field]) => typeof field === "object");
    return Object.assign(
      {},
      ...inherited,
      Object.fromEntries(own.map(([name, field]) => [name, this.#loose(field)])),
    ) as Record<string, Source>;
  }
}

/** A field of the fixture that is left out. */
const ABSENT = { type: "object", properties: { $absent: { const: true } }, required: ["$absent"] };

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : definition(referencedName(schema.$ref)).schema;
}
