import { expect, test } from "vitest";
import type { Difference } from "../../../src/tools/scenarios/expectation.ts";
import { updateScenario } from "../../../src/tools/scenarios/update.ts";

const text = `name: n # a remark
steps:
  - call: GET /x
    expect: { status: 200, body: { status: PENDING, list: [1, 2], id: "\${a.id}" } } # another
  - expect:
      webhooks:
        - event: A
          n: { $gt: 1 }
        - event: B
      resource:
        - { collection: orders, is: { status: PAID } }
`;

function update(step: number, ...differences: Omit<Difference, "expected">[]): string | undefined {
  return updateScenario(text, {
    step,
    title: "",
    line: 1,
    column: 1,
    message: "",
    before: [],
    differences: differences.map((difference) => ({ ...difference, expected: undefined })),
  });
}

test("actual values replace expected ones, and everything else stays", () => {
  const updated = update(
    1,
    { path: "status", actual: 201 },
    { path: "body.status", actual: "ACCEPTED" },
    { path: "body.list[1]", actual: { a: "x ${y}" } },
  );
  expect(updated).toBe(
    text.replace(
      "status: 200, body: { status: PENDING, list: [1, 2]",
      () => 'status: 201, body: { status: ACCEPTED, list: [1, {"a":"x $${y}"}]',
    ),
  );
});

test("a word that YAML would read as another type is quoted, and an absent value is marked", () => {
  expect(update(2, { path: "webhooks[1].event", actual: "TRUE" })).toContain('- event: "TRUE"\n');
  expect(update(2, { path: "webhooks[0].event", actual: undefined })).toContain(
    "- event: { $absent: true }\n",
  );
});

test("the expected value of a resource is updated in its `is`", () => {
  expect(update(2, { path: "resource[0].status", actual: "ERROR" })).toContain(
    "{ collection: orders, is: { status: ERROR } }",
  );
});

test("matchers, expressions and values that are not in the file stay", () => {
  expect(update(2, { path: "webhooks[0].n", actual: 1 })).toBeUndefined();
  expect(update(1, { path: "body.id", actual: "z" })).toBeUndefined();
  expect(update(2, { path: "webhooks[7].event", actual: "z" })).toBeUndefined();
  expect(update(2, { path: "webhooks", actual: [] })).toBeUndefined();
});
