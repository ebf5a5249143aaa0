import { type Assumption } from "../../api/assumptions.ts";
import { NO_NULL_CHARACTER } from "../../api/schema-errors.ts";
import { books } from "./schema-books.ts";
import { actStep, callStep, fault, planStep, requestStep } from "./schema-steps.ts";
import type { Route } from "../../api/routes.ts";
import { assumptions, operations } from "./vocabulary.ts";
import {
  type SchemaSource,
  expectationDefinitions,
  expected,
  object,
  orExpression,
  ref,
  saveAndExpect,
  valueDefinitions,
} from "./schema-values.ts";
import { verbs } from "./scenario.ts";

/**
 * The JSON Schema of scenario files, `schemas/scenario.schema.json`: the structure of the language is written
 * here and in `schema-steps.ts`, its words come from the lists of the platform and the interface. `routes` are all
 * routes of the server.
 */
export function scenarioSchema(routes: readonly Route[]): SchemaSource {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "scenario.schema.json",
    title: "Scenario",
    description:
      "What is called, what payers and institutions do, how time passes, and what is expected. One file is set-up, regression test, provider state and bug report.",
    ...object(topLevel(), { required: ["steps"], anyOf: [{ required: ["name"] }, { required: ["state"] }] }),
    $defs: { ...valueDefinitions, expected, ...expectationDefinitions(), ...stepDefinitions(routes) },
  };
}

function topLevel(): SchemaSource {
  return {
    name: {
      description: "What the scenario shows, as a sentence.",
      type: "string",
      minLength: 1,
      pattern: NO_NULL_CHARACTER,
      examples: ["The platform resends a charge until it settles"],
    },
    description: { description: "More about it, for the reader.", type: "string" },
    seed: {
      description: "Where all randomness comes from: ids, keys, probabilities. The default is 1.",
      ...orExpression({ type: "integer", minimum: 0, maximum: 4294967295 }),
      examples: [7],
    },
    start: {
      description:
        "The time at which the world begins, by default Monday 2026-11-23T09:00:00-03:00; `now` is the current time.",
      anyOf: [
        {
          const: "now",
          "x-expected": "now, or an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00",
        },
        ref("instant"),
      ],
      examples: ["2026-11-20T09:00:00-03:00", "now"],
    },
    fixtures: {
      description: "A folder of fixtures in place of the shipped ones, relative to this file.",
      type: "string",
      minLength: 1,
    },
    webhookUrl: {
      description:
        "The webhook URL of every company in this world; the built-in receiver still gets the webhooks. `null` keeps each company's own URL.",
      type: ["string", "null"],
      examples: ["https://partner.example/webhooks"],
    },
    origin: {
      description: "The origin of the URLs that the sandbox gives out, such as those of payer pages.",
      type: "string",
      pattern: "^https?://[^/]+$",
      examples: ["http://127.0.0.1:4010"],
      "x-expected": "an address without a path, such as http://127.0.0.1:4010",
    },
    assumptions: {
      description:
        "Decisions where the interface leaves something open: ids of `sandbank assumptions` and their values.",
      type: "object",
      properties: Object.fromEntries(
        Object.entries<Assumption<unknown>>(assumptions)
          .filter(([, { type }]) => type.kind !== "statement")
          .map(([id, assumption]) => [id, { description: assumption.says, default: assumption.default }]),
      ),
      examples: [{ "charge.resend-delay": "PT20M" }],
    },
    matrix: {
      description:
        "Names and lists of values: the file runs once for each combination. Or a list of the combinations.",
      anyOf: [
        {
          type: "object",
          minProperties: 1,
          propertyNames: ref("name"),
          additionalProperties: { type: "array", minItems: 1 },
        },
        { type: "array", minItems: 1, items: { type: "object", minProperties: 1 } },
      ],
      examples: [{ outcome: ["REJECTED", "ERROR"] }],
    },
    state: {
      description: "Makes this scenario the Pact provider state of that name.",
      type: "string",
      minLength: 1,
      examples: ["a subscription waits for authorization"],
    },
    params: {
      description: "The inputs of the state, each with a default, so that the file can be run.",
      type: "object",
      propertyNames: ref("name"),
      additionalProperties: object(
        {
          default: { description: "The value when none is given." },
          schema: { description: "A JSON Schema for the value.", type: ["object", "boolean"] },
          description: { description: "What it is, for the reader.", type: "string" },
        },
        { required: ["default"] },
      ),
      examples: [{ frequency: { default: "MONTHLY", schema: { enum: ["WEEKLY", "MONTHLY"] } } }],
    },
    returns: {
      description: "What the state returns, by name.",
      type: "object",
      examples: [{ subscriptionId: "${sub.id}" }],
    },
    probe,
    deviations: {
      description:
        "What goes differently, as `sandbank explore --save` writes it: the scenario is played without it and with it, and passes where both end in the same state.",
      type: "array",
      items: object(
        {
          event: ref("count", { description: "The number of an event of the scenario." }),
          call: ref("count", { description: "The number of a call." }),
          step: ref("count", { description: "The number of a `request` step." }),
          kind: { description: "What happens to it.", type: "string" },
          by: ref("duration", {
            description:
              "Of `call-slow`: how late the answer is. Of `killed-before-answer`: how long after the webhook.",
          }),
          repeat: ref("count", { description: "Of a race: how often it is tried; 5 by default." }),
          with: ref("count", {
            description:
              "Of `together`: the event with which it is in flight, where that is about another object.",
          }),
        },
        { required: ["kind"] },
      ),
      examples: [[{ event: 2, kind: "late" }]],
    },
    steps: { description: "What happens, in order.", type: "array", items: ref("step") },
  };
}

const jsonPaths: SchemaSource = { type: "array", items: { type: "string" } };

const probe = object(
  {
    url: {
      description: "Where your system shows its state as JSON; a GET.",
      type: "string",
      examples: ["http://127.0.0.1:3000/members/${sub.externalId}"],
    },
    ignore: {
      description: "JSON paths (RFC 9535) of what is not compared.",
      ...jsonPaths,
      examples: [["$.seenAt", "$.members[*].log"]],
    },
    settle: ref("duration", {
      description: "Wall time for work after the last answer, before the state is read; PT0.2S by default.",
    }),
    state: {
      description:
        "The whole state after the last step. `${world.events.2.data.id}` is in the body of the second webhook event, `${world.resources.subscriptions.1.id}` in the first object of a collection; expressions may be keys too.",
    },
    unstable: {
      description: "Places of `state` of which only whether something is there is compared.",
      ...jsonPaths,
    },
    books,
    unordered: {
      description: "Lists of `state` whose order does not count, and objects whose keys do not count.",
      ...jsonPaths,
    },
  },
  {
    title: "Probe",
    description:
      "Where your own system shows its state. `sandbank explore` compares it after every way in which the webhooks can come; with `state`, `sandbank run` checks it after the last step.",
    minProperties: 1,
    examples: [{ url: "http://127.0.0.1:3000/members", ignore: ["$.seenAt"] }],
  },
);

function stepDefinitions(routes: readonly Route[]): SchemaSource {
  const isOperation = ({ method, path }: Route): boolean =>
    Object.values(operations).some((operation) => operation.method === method && operation.path === path);
  return {
    callStep: callStep(routes.filter((route) => !isOperation(route))),
    requestStep: requestStep(),
    actStep: actStep(),
    planStep: planStep(),
    advanceStep,
    fault: fault(),
    faultStep,
    receiverStep,
    receiverAnswer,
    expectStep,
    step: {
      title: "Step",
      description: `One thing that happens, or is checked: ${verbs.join(", ")}.`,
      oneOf: verbs.map((verb) => ref(`${verb}Step`)),
    },
  };
}

const advanceStep = object(
  {
    advance: {
      description: "A duration, or exactly one of `by`, `to` and `until`.",
      type: ["string", "object"],
      if: { type: "string" },
      // oxlint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
      then: ref("duration"),
      else: object(
        {
          by: ref("duration", { description: "How far." }),
          to: ref("instant", { description: "To this time." }),
          until: {
            description: "`next`: to the next thing that is due. `idle`: until nothing is due any more.",
            ...orExpression({ enum: ["next", "idle"] }),
          },
        },
        { minProperties: 1, maxProperties: 1 },
      ),
      examples: ["P1D", { to: "2026-11-25T21:00:00-03:00" }, { until: "idle" }],
    },
    wait: {
      description: "`false` moves the clock at once, without waiting for webhooks in flight.",
      type: "boolean",
    },
    ...saveAndExpect,
  },
  {
    title: "advance",
    description:
      "Moves the clock. Everything due on the way happens in order, webhook attempts included; the step ends when nothing is in flight.",
    required: ["advance"],
  },
);

const faultStep = object(
  { fault: ref("fault"), ...saveAndExpect },
  {
    title: "fault",
    description:
      "Arms a fault: in the transport of webhooks, in their bodies and signatures, or in the answers of the interface.",
    required: ["fault"],
    examples: [{ fault: { on: "webhook", event: "SUBSCRIPTION.*", effect: "duplicate", times: 1 } }],
  },
);

const receiverStep = object(
  {
    receiver: object(
      {
        answers: {
          description:
            "One answer per attempt, in order; after the last one every attempt is acknowledged again.",
          ...orExpression({ type: "array", items: ref("receiverAnswer") }),
          examples: [[500, 200], ["timeout"]],
        },
        always: {
          description: "Repeats the last answer for every further attempt.",
          ...orExpression({ type: "boolean" }),
        },
        holds: {
          description:
            "Answers nothing from here on, and no step waits for webhooks, until a later step gives `answers`.",
          const: true,
        },
        replies: {
          description:
            "Answers webhooks that are held back, one after another: each the oldest, or the one that `to` counts to.",
          type: "array",
          minItems: 1,
          items: {
            anyOf: [
              ref("receiverAnswer"),
              object(
                {
                  to: {
                    description: "Which of those held back; the oldest is 1.",
                    type: "integer",
                    minimum: 1,
                  },
                  answer: ref("receiverAnswer"),
                },
                { required: ["to", "answer"] },
              ),
            ],
          },
        },
      },
      {
        description: "How it answers. Answers left over from an earlier `receiver` step are dropped.",
        minProperties: 1,
        dependentRequired: { always: ["answers"] },
      },
    ),
    expect: ref("observation"),
    note: ref("note"),
    allowUnknown: ref("allowUnknown"),
  },
  {
    title: "receiver",
    description: "Sets how the built-in webhook receiver answers from here on.",
    required: ["receiver"],
    examples: [{ receiver: { answers: [500, 200] } }],
  },
);

const receiverAnswer: SchemaSource = {
  title: "Answer of the receiver",
  description:
    "A status; a full answer; or no answer: `timeout`, `refuse` (no connection), `reset`, or the `error` of an attempt.",
  anyOf: [
    ref("httpStatus"),
    { enum: ["timeout", "refuse", "reset"] },
    {
      type: "object",
      if: { required: ["error"] },
      // oxlint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
      then: {
        required: ["error"],
        properties: {
          error: {
            description: "Why there was no answer, in the words of a delivery attempt.",
            enum: ["timeout", "refused", "reset", "dns", "tls", "protocol", "egress-blocked"],
          },
          message: { description: "The sentence that the attempt shows.", type: "string" },
        },
        additionalProperties: false,
      },
      else: {
        required: ["status"],
        properties: {
          status: ref("httpStatus", { description: "The HTTP status." }),
          headers: {
            description: "The headers; a content type is added where there is none.",
            type: "object",
            additionalProperties: { type: "string" },
          },
          body: { description: "A string is sent unchanged, any other value as JSON." },
          truncated: {
            description: "Whether there was more of the body than the sender read.",
            type: "boolean",
          },
          exact: {
            description:
              "Whether headers and body are sent exactly as written, without an added content type.",
            type: "boolean",
          },
        },
        additionalProperties: false,
      },
    },
  ],
};

const expectStep = object(
  { expect: ref("observation"), note: ref("note"), allowUnknown: ref("allowUnknown") },
  {
    title: "expect",
    description: "Checks the world: webhooks, deliveries, resources, the ledger.",
    required: ["expect"],
  },
);
