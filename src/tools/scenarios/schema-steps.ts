import { type EffectField, SIDES } from "../../api/faults.ts";
import type { Route } from "../../api/routes.ts";
import { acts, effects, eventNames, operationIds, operations, plans } from "./vocabulary.ts";
import { type Schema, definition, referencedName } from "../../api/schemas.ts";
import { type SchemaSource, object, orExpression, ref, saveAndExpect } from "./schema-values.ts";

// The steps whose words the platform and the interface define.

const subject = {
  description: "The object it is about: its id, or the answer it was saved from.",
  type: ["string", "object"],
  examples: ["${sub.id}"],
};

/** The schema that applies where the field has one of these values. */
function when(field: string, values: readonly unknown[], then: SchemaSource): SchemaSource {
  // oxlint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
  return { if: { required: [field], properties: { [field]: { enum: values } } }, then };
}

/** Routes are those of the server that are no operations of the interface. */
export function callStep(routes: readonly Route[]): SchemaSource {
  const scalar = ["string", "number", "boolean"];
  const call = {
    description: "An operationId, or a method and a path: `GET /sandbox/inbox`.",
    anyOf: [
      { enum: operationIds },
      { type: "string", pattern: "^(GET|HEAD|POST|PUT|PATCH|DELETE) /" },
      ref("interpolation"),
    ],
    examples: routes.map(({ method, path }) => `${method} ${path}`),
    markdownDescription: markdownList(
      "An operationId, or a method and a path: `GET /sandbox/inbox`.",
      Object.values(operations).map(({ operationId, summary }) => [operationId, `${summary}.`]),
    ),
  };
  return object(
    {
      call,
      path: {
        description: "The parameters in the operation's path.",
        ...orExpression({
          type: "object",
          properties: { $use: ref("use") },
          additionalProperties: { type: scalar },
        }),
        examples: [{ id: "${sub.id}" }],
      },
      query: {
        description: "The query parameters; a list is sent as the same parameter several times.",
        ...orExpression({
          type: "object",
          properties: { $use: ref("use") },
          additionalProperties: { type: [...scalar, "array"], items: { type: scalar } },
        }),
        examples: [{ limit: 10 }],
      },
      headers: {
        description: "Further headers.",
        ...orExpression({
          type: "object",
          propertyNames: {
            pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
            "x-expected": "the name of a header, without spaces",
          },
          additionalProperties: { type: scalar },
        }),
        examples: [{ "x-request-id": "1" }],
      },
      body: {
        description: "The body: an object is sent as JSON, a string exactly as it is.",
        examples: [{ $use: "subscription.monthly", externalId: "gym-1" }],
      },
      as: ref("as"),
      key: {
        description:
          "The idempotency key. Without one it is made from the seed where the operation requires it; `null` sends none.",
        type: ["string", "number", "null"],
      },
      retry: {
        description:
          "How the client that the step stands for repeats a call without an answer, or with 5xx, 429 or 401 (with a new token), five times, a minute apart: with the same key, or with a new one each time; `none` by default.",
        enum: ["same-key", "new-key", "none"],
      },
      ...saveAndExpect,
    },
    {
      title: "call",
      description: "Calls the interface: an operation by its operationId, or any path.",
      required: ["call"],
      examples: [{ call: "createSubscription", body: { $use: "subscription.monthly" }, save: "sub" }],
      allOf: Object.values(operations).flatMap(parametersOf),
    },
  );
}

export function requestStep(): SchemaSource {
  return object(
    {
      request: {
        description:
          "A method and a URL of your own system: `POST http://127.0.0.1:3000/members`; or `POST partner:/members` for the `client` of `explore` in the library.",
        type: "string",
        pattern: "^[A-Z]+ (?:https?://|partner:|\\$\\{)",
        "x-expected": "a method and a URL, such as `POST http://127.0.0.1:3000/members`",
        examples: ["POST http://127.0.0.1:3000/members"],
      },
      headers: {
        description: "Further headers.",
        ...orExpression({ type: "object", additionalProperties: { type: ["string", "number", "boolean"] } }),
        examples: [{ authorization: "Bearer test" }],
      },
      body: { description: "The body: an object or a list is sent as JSON, a string exactly as it is." },
      timeout: ref("duration", {
        description: "How long the answer may take, in wall time; PT10S by default.",
      }),
      repeat: {
        description:
          "How often the request is sent again, as it was, where it gets no answer or 5xx: `0` never. Before each time the clock of the sandbox moves by `every`. By default `sandbank run` never repeats it, and `sandbank explore` five times, a minute apart.",
        anyOf: [
          { const: 0 },
          object({
            times: { description: "How often.", type: "integer", minimum: 0, maximum: 100 },
            every: ref("duration", {
              description: "How far the clock moves before each time; PT1M by default.",
            }),
          }),
        ],
        "x-expected": "0, or how often and how long between: { times: 5, every: PT1M }",
        examples: [{ times: 5, every: "PT1M" }],
      },
      tick: {
        description:
          "The nightly job of your system: `sandbank explore` sends it once more after the last step, and compares then.",
        type: "boolean",
      },
      ...saveAndExpect,
    },
    {
      title: "request",
      description:
        "Sends a request to your own system, as a test client: it may go anywhere, and redirects are not followed.",
      required: ["request"],
      examples: [{ request: "POST http://127.0.0.1:3000/members", body: { name: "Dora" }, save: "member" }],
    },
  );
}

/** The parameters of an operation, which editors complete. Which of them are right is checked with the operation. */
function parametersOf(operation: (typeof operations)[keyof typeof operations]): SchemaSource[] {
  const query = "query" in operation ? (definition(operation.query).schema.properties ?? {}) : {};
  const named = { path: described(operation.parameters), query: described(query) };
  const then = Object.entries(named)
    .filter(([, parameters]) => Object.keys(parameters).length > 0)
    .map(([part, properties]) => [part, { properties }] as const);
  return then.length === 0
    ? []
    : [when("call", [operation.operationId], { properties: Object.fromEntries(then) })];
}

function described(fields: Readonly<Record<string, Schema>>): SchemaSource {
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

export function actStep(): SchemaSource {
  const bySchema = Map.groupBy(acts.values(), ({ fields }) => fields ?? "NoFields");
  const fieldRules = Array.from(bySchema, ([name, own]) => {
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
  return object(
    {
      act: {
        description: "What is done.",
        ...orExpression({ enum: [...acts.keys()] }),
        markdownDescription: markdownList(
          "What is done.",
          Array.from(acts.values(), ({ name, summary }) => [name, summary]),
        ),
      },
      on: subject,
      with: { description: "The fields of the act.", ...orExpression(ref("values")) },
      as: ref("as"),
      ...saveAndExpect,
    },
    {
      title: "act",
      description: "Does now what a payer, an institution or a customer would do.",
      required: ["act"],
      examples: [{ act: "subscription.accept", on: "${sub.id}" }],
      allOf: fieldRules,
    },
  );
}

export function planStep(): SchemaSource {
  const outcomeRules = Object.entries(plans).map(([plan, outcomes]) =>
    when("plan", [plan], { properties: { outcomes: { items: orExpression({ enum: outcomes }) } } }),
  );
  return object(
    {
      plan: {
        description: "The step whose outcome is decided.",
        ...orExpression({ enum: Object.keys(plans) }),
      },
      on: subject,
      outcomes: {
        description: "One outcome per step, in order; after the last one the default outcome applies.",
        ...orExpression({ type: "array", minItems: 1, items: { type: "string" } }),
      },
      as: ref("as"),
      ...saveAndExpect,
    },
    {
      title: "plan",
      description:
        "Decides in advance the outcome of the next steps of one object, or of the next objects of its kind.",
      required: ["plan", "outcomes"],
      examples: [
        {
          plan: "scheduled-payment.settlement",
          on: "${charge.id}",
          outcomes: ["SETTLEMENT_ERROR", "SETTLED"],
        },
      ],
      allOf: outcomeRules,
    },
  );
}

export function fault(): SchemaSource {
  const fields = Map.groupBy(
    Array.from(effects).flatMap(([effect, { fields: own }]) =>
      Object.entries(own).map(([name, field]) => ({ effect, name, field })),
    ),
    ({ name }) => name,
  );
  const fieldSchemas = Array.from(fields, ([name, uses]) => {
    const byKind = new Map(uses.map(({ field }) => [field.type.kind, fieldSchema(field)]));
    const types = [...byKind.values()];
    const byDescription = Map.groupBy(uses, ({ field }) => field.description);
    const description = Array.from(
      byDescription,
      ([text, same]) => `${text} (${same.map(({ effect }) => effect).join(", ")})`,
    ).join(" ");
    return [name, { ...(types.length === 1 ? types[0] : { anyOf: types }), description }];
  });
  const namesOn = (side: string): string[] =>
    Array.from(effects).flatMap(([name, { on }]) => (on === side ? [name] : []));
  const requirements = Array.from(effects).flatMap(([name, effect]) => {
    const required = Object.entries(effect.fields).flatMap(([field, { required: is }]) =>
      is ? [field] : [],
    );
    if (effect.needsBetween === true) required.push("between");
    return required.length === 0 ? [] : [when("effect", [name], { required })];
  });
  const lines = (side: string): (readonly [string, string])[] =>
    namesOn(side).map((name) => [name, effects.get(name)?.onTheWire ?? ""]);
  return object(
    {
      on: {
        description:
          "Where: the webhooks that are sent, the answers of the interface, or what becomes due by the clock.",
        ...orExpression({ enum: SIDES }),
      },
      effect: {
        description: "What goes wrong.",
        markdownDescription: `What goes wrong.\n\n${markdownList("On webhooks:", lines("webhook"))}\n\n${markdownList("On the API:", lines("api"))}\n\n${markdownList("On the clock:", lines("clock"))}`,
        ...orExpression({ enum: [...effects.keys()] }),
      },
      event: {
        description: "Only events whose name matches this pattern, in which * matches anything.",
        type: "string",
        examples: ["SUBSCRIPTION.*", ...eventNames],
      },
      operation: {
        description: "Only this operation of the interface.",
        ...orExpression({ enum: operationIds }),
      },
      object: {
        description: "Only what is about this object: its id, or the answer it was saved from.",
        type: ["string", "object"],
      },
      objectNumber: ref("count", {
        description:
          "Only the n-th object: of its collection, in the order in which events announced them; on calls, of those that calls of the operation were about.",
      }),
      nth: ref("count", { description: "Only the n-th match since the fault was armed." }),
      attempt: {
        description: "Only these attempts of a delivery, counted from 1.",
        anyOf: [ref("count"), { type: "array", minItems: 1, items: ref("count") }],
      },
      between: {
        description: "Only between these two times.",
        type: "array",
        minItems: 2,
        maxItems: 2,
        items: ref("instant"),
      },
      probability: {
        description: "Only with this probability, drawn from the seed.",
        ...orExpression({ type: "number", minimum: 0, maximum: 1 }),
      },
      times: ref("count", { description: "Ends after this many matches." }),
      ...Object.fromEntries(fieldSchemas),
    },
    {
      title: "Fault",
      description: "What goes wrong, when, and for what. A match meets all selectors.",
      required: ["on", "effect"],
      allOf: [
        ...SIDES.map((side) =>
          when("on", [side], { properties: { effect: orExpression({ enum: namesOn(side) }) } }),
        ),
        ...requirements,
      ],
    },
  );
}

function fieldSchema({ type }: EffectField): SchemaSource {
  switch (type.kind) {
    case "duration":
      return ref("duration");
    case "count":
      return ref("count");
    case "choice":
      return orExpression({ enum: type.choices });
    case "flag":
      return { type: "boolean" };
    case "text":
      return { type: "string" };
  }
}

function markdownList(heading: string, items: readonly (readonly [string, string])[]): string {
  return [heading, "", ...items.map(([name, text]) => `- \`${name}\`: ${text}`)].join("\n");
}
