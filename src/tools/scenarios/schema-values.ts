import { collectionNames } from "./vocabulary.ts";

export type SchemaSource = Readonly<Record<string, unknown>>;

/** A reference to a definition of this schema; further keywords replace the definition's own. */
export function ref(name: string, others: SchemaSource = {}): SchemaSource {
  return { $ref: `#/$defs/${name}`, ...others };
}

/** A value of this schema, or an expression that gives one when the scenario runs. */
export function orExpression(schema: SchemaSource): SchemaSource {
  return { anyOf: [schema, ref("interpolation")] };
}

/** An object of these fields and no others. */
export function object(properties: SchemaSource, others: SchemaSource = {}): SchemaSource {
  return { type: "object", properties, additionalProperties: false, ...others };
}

/** What every step may have in addition to its verb. */
export const saveAndExpect = {
  save: ref("save"),
  expect: ref("answerExpectation"),
  note: ref("note"),
  allowUnknown: ref("allowUnknown"),
};

/** The definitions of plain values. */
export const valueDefinitions: SchemaSource = {
  interpolation: {
    title: "Expression",
    description:
      "`${name.path}` of what was saved, `${matrix.x}`, `${params.x}`, `${fake.person}`, `${run}`, or a date.",
    type: "string",
    pattern: "\\$\\{",
  },
  duration: {
    title: "Duration",
    description: "An ISO 8601 duration: PT5M, P1D, P1M. Days and more count on the calendar of Brasília.",
    ...orExpression({
      type: "string",
      pattern:
        "^P(?=\\d|T\\d)(?:\\d+Y)?(?:\\d+M)?(?:\\d+W)?(?:\\d+D)?(?:T(?=\\d)(?:\\d+(?:[.,]\\d{1,9})?H)?(?:\\d+(?:[.,]\\d{1,9})?M)?(?:\\d+(?:[.,]\\d{1,9})?S)?)?$",
      "x-expected": "an ISO 8601 duration such as PT5M, P1D or P1M",
    }),
    examples: ["PT5S", "PT1H", "P1D", "P1M"],
  },
  instant: {
    title: "Instant",
    description: "An ISO 8601 time with its offset.",
    ...orExpression({
      type: "string",
      format: "date-time",
      "x-expected": "an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00",
    }),
    examples: ["2026-11-20T09:00:00-03:00"],
  },
  count: { title: "Count", ...orExpression({ type: "integer", minimum: 1 }) },
  httpStatus: { title: "HTTP status", ...orExpression({ type: "integer", minimum: 100, maximum: 599 }) },
  allowUnknown: {
    description:
      "`true`: this step may have fields, query parameters, events and paths that the interface does not have, because that is its point.",
    const: true,
  },
  note: { description: "A remark that the report shows.", type: "string" },
  name: {
    type: "string",
    pattern: "^[A-Za-z_][A-Za-z0-9_-]*$",
    "x-expected": "a name of letters, digits, _ and - that begins with a letter",
  },
  save: ref("name", {
    description:
      "Keeps the body of the answer under this name, for `${name.path}` in later steps and in this step's own `expect`.",
    markdownDescription:
      "Keeps the body of the answer under this name.\n\n```yaml\n- call: createSubscription\n  save: sub\n- act: subscription.accept\n  on: ${sub.id}\n```",
    examples: ["sub", "charge"],
  }),
  as: {
    description:
      "Who calls: a company of the fixtures, or a token. `null` calls without a token. The default is the first company.",
    type: ["string", "null"],
    examples: ["acme", "globex"],
  },
  values: { type: "object", properties: { $use: ref("use") }, additionalProperties: true },
  use: {
    description:
      "Starts from a body of the fixtures; the fields written with it replace those of the fixture, and `{ $absent: true }` leaves a field out.",
    markdownDescription:
      "Starts from a body of the fixtures; the fields written with it replace those of the fixture, and `{ $absent: true }` leaves a field out.\n\n```yaml\nbody: { $use: subscription.monthly, externalId: gym-1, debtor: { $absent: true } }\n```",
    type: "string",
    examples: ["subscription.monthly"],
  },
  comparable: {
    description: "A number, a decimal string, a date or a time.",
    type: ["number", "string"],
  },
};

const matchers: SchemaSource = {
  $any: {
    description: "Any value of this type, or any value with `true`.",
    enum: [
      true,
      "string",
      "number",
      "integer",
      "boolean",
      "object",
      "array",
      "null",
      null,
      "uuid",
      "date",
      "date-time",
      "decimal",
    ],
  },
  $absent: {
    description: "`true`: the field is not there. `false`: it is there, with any value.",
    type: "boolean",
  },
  $regex: {
    description: "A string in which this regular expression is found.",
    ...orExpression({ type: "string", format: "regex", "x-expected": "a regular expression" }),
  },
  $gt: ref("comparable"),
  $gte: ref("comparable"),
  $lt: ref("comparable"),
  $lte: ref("comparable"),
  $length: {
    description: "The number of items of a list, or of characters of a string; a comparison is possible too.",
    anyOf: [{ type: "integer", minimum: 0 }, { type: "object" }, ref("interpolation")],
  },
  $unordered: {
    description: "Each of these is in the list, in any order; with `$length` the list has no other items.",
    type: "array",
    items: ref("expected"),
  },
  $inOrder: {
    description:
      "Each of these is in the list, in this order; there may be others before, between and after.",
    type: "array",
    items: ref("expected"),
  },
  $each: ref("expected", { description: "Every item matches." }),
  $oneOf: { description: "One of these matches.", type: "array", minItems: 1, items: ref("expected") },
  $not: ref("expected", { description: "This does not match." }),
  $exactly: { description: "This whole value: no further field, no further item." },
};

/** The definition of what a value is compared with. */
export const expected: SchemaSource = {
  title: "Expected value",
  description:
    "A subset: what is not named is not compared. A list is matched as a prefix in order, `[]` matches only an empty list.",
  markdownDescription: [
    "A subset: what is not named is not compared. A list is matched as a prefix in order, `[]` matches only an empty list.",
    "",
    "| | |",
    "|---|---|",
    "| `{ $any: string }` | any value of the type, or any value with `true` |",
    "| `{ $absent: true }` | not there |",
    '| `{ $regex: "^E" }` | a string in which the pattern is found |',
    "| `{ $gt: 10 }`, `$gte`, `$lt`, `$lte` | numbers, decimal strings, dates and times |",
    "| `{ $length: 3 }` | of a list or a string |",
    "| `{ $unordered: [...] }` | each is there, in any order |",
    "| `{ $inOrder: [...] }` | each is there, in this order, with others between |",
    "| `{ $each: ... }` | every item matches |",
    "| `{ $oneOf: [...] }`, `{ $not: ... }` | one of these; anything but this |",
    "| `{ $exactly: ... }` | this whole value and nothing more |",
  ].join("\n"),
  properties: matchers,
  patternProperties: {
    [`^\\$(?!(?:${Object.keys(matchers)
      .map((name) => name.slice(1))
      .join("|")})$)`]: false,
  },
  additionalProperties: ref("expected"),
  items: ref("expected"),
};

/** The definitions of what `expect` takes. */
export function expectationDefinitions(): SchemaSource {
  const world = {
    webhooks: ref("expected", {
      description:
        "The bodies of the webhooks sent since the last `expect` that checked them, oldest first. A list names those that matter, in order: others may be sent between them; `[]` expects none; `{ $length: 3 }` counts; `{ $unordered: [...] }` leaves the order open.",
      examples: [[{ event: "SUBSCRIPTION.ACCEPTED" }], [], { $length: 3 }],
    }),
    deliveries: ref("expected", {
      description:
        "All delivery records of the world so far, oldest first: event, objectId, status (scheduled, retrying, delivered, undelivered, lost), attempts.",
      examples: [
        {
          $unordered: [{ event: "ORDER-PAYIN.PAID", status: "undelivered", attempts: { $length: 5 } }],
        },
      ],
    }),
    resource: {
      description: "One object as it is now, or several.",
      anyOf: [ref("resourceExpectation"), { type: "array", items: ref("resourceExpectation") }],
    },
    ledger: {
      description:
        "`balanced`: every movement of money adds up to zero. An object is matched against the ledger.",
      anyOf: [{ enum: ["balanced"] }, { type: "object" }],
    },
    happened: ref("expected", {
      description:
        "The timeline entries of the `advance` steps since the last `expect` that checked them, in order: `at`, `what`, `objectId` and `cause`.",
    }),
  };
  const answer = {
    status: {
      description:
        "The HTTP status of the answer; `null`: there was no answer. Without it, and without `headers` and `body`, an answer of 4xx or 5xx fails the scenario.",
      anyOf: [
        { type: ["integer", "null"], minimum: 100, maximum: 599 },
        { type: "object" },
        ref("interpolation"),
      ],
      examples: [200, 201, 400],
    },
    headers: {
      description: "Headers of the answer; upper and lower case are the same.",
      type: "object",
      additionalProperties: ref("expected"),
      examples: [{ "idempotency-replayed": "true" }],
    },
    body: ref("expected", { description: "The body of the answer." }),
  };
  return {
    resourceExpectation: object(
      {
        collection: {
          description: "The kind of resource.",
          ...orExpression({ enum: collectionNames }),
        },
        id: {
          description: "Its id; without one the whole collection is matched, as a list.",
          type: ["string", "object"],
        },
        is: ref("expected", {
          description:
            "The resource in the interface's own shape; `{ $absent: true }` expects that there is none.",
        }),
      },
      { title: "A resource and its expected value", required: ["collection", "is"] },
    ),
    observation: object(world, {
      title: "What is expected of the world",
      description: "What is expected of the world so far: webhooks, deliveries, objects, the ledger.",
      minProperties: 1,
    }),
    answerExpectation: object(
      { ...answer, ...world },
      {
        title: "What is expected of an answer",
        description:
          "What is expected of this step's answer, and of the world so far. It matches a subset: what is not named is not compared.",
        minProperties: 1,
      },
    ),
  };
}
