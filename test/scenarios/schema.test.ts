import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readScenarioSchema, schemaMistakes } from "../../src/scenarios/schema.ts";

test("the scenario schema is a JSON Schema 2020-12", () => {
  expect(new Ajv2020({ strict: false }).validateSchema(readScenarioSchema())).toBe(true);
});

test("every example of a step and of a field in the schema is right by the schema", () => {
  const { $defs } = readScenarioSchema();
  const wrong = Object.entries($defs).flatMap(([name, schema]) =>
    ((schema["examples"] ?? []) as unknown[]).flatMap((example) => schemaMistakes(example, name)),
  );
  expect(wrong).toEqual([]);
});

test("an editor that checks a file as it is written finds nothing wrong with expressions", () => {
  const file = parse(`
name: n
seed: \${matrix.seed}
matrix: { seed: [1, 2], effect: [drop, lose], plan: [claim.answer], status: [200] }
steps:
  - { plan: "\${matrix.plan}", outcomes: ["\${matrix.outcome}"] }
  - { fault: { on: webhook, effect: "\${matrix.effect}", times: "\${matrix.seed}", between: ["\${now}", "\${now + P1D}"] } }
  - { call: createSubscription, body: { $use: subscription.monthly }, expect: { status: "\${matrix.status}" } }
  - { act: "\${matrix.act}", on: x, with: { $use: payers.ana } }
  - { advance: "\${matrix.by}" }
  - { receiver: { answers: ["\${matrix.status}", { status: 200 }, reset], always: "\${matrix.always}" } }
  - { expect: { webhooks: [{ id: { $regex: "^\${matrix.seed}" } }], resource: [{ collection: orders, is: [] }] } }
`) as unknown;
  expect(schemaMistakes(file)).toEqual([]);
});
