import { expect, test } from "vitest";
import fc from "fast-check";
import { differencesOf } from "../../src/scenarios/expectation.ts";
import { parse } from "yaml";
import { updateScenario } from "../../src/scenarios/update.ts";

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

interface Found {
  readonly path: string;
  readonly expected?: unknown;
  readonly actual: unknown;
}

function failureOf(step: number, differences: readonly Found[]) {
  return {
    step,
    title: "",
    line: 1,
    column: 1,
    message: "",
    before: [],
    differences: differences.map(({ path, expected, actual }) => ({ path, expected, actual })),
  };
}

function update(step: number, ...differences: readonly Found[]): string {
  return updateScenario(text, failureOf(step, differences)).text;
}

test("actual values replace expected ones, and everything else stays", () => {
  const updated = update(
    1,
    { path: "status", expected: 200, actual: 201 },
    { path: "body.status", expected: "PENDING", actual: "ACCEPTED" },
    { path: "body.list[1]", expected: 2, actual: { a: "x ${y}" } },
  );
  expect(updated).toBe(
    text.replace(
      "status: 200, body: { status: PENDING, list: [1, 2]",
      () => 'status: 201, body: { status: ACCEPTED, list: [1, {"a":"x $${y}"}]',
    ),
  );
});

test("a word that YAML would read as another type is quoted, and an absent value is marked", () => {
  const quoted = update(2, { path: "webhooks[1].event", expected: "B", actual: "TRUE" });
  expect(quoted).toContain('- event: "TRUE"\n');
  const absent = update(2, { path: "webhooks[0].event", expected: "A", actual: undefined });
  expect(absent).toContain("- event: { $absent: true }\n");
});

test("the expected value of a resource is updated in its `is`", () => {
  expect(update(2, { path: "resource[0].status", expected: "PAID", actual: "ERROR" })).toContain(
    "{ collection: orders, is: { status: ERROR } }",
  );
});

test.each<[string, number, Found]>([
  ["a matcher", 2, { path: "webhooks[0].n", expected: { $gt: 1 }, actual: 1 }],
  ["an expression", 1, { path: "body.id", expected: "a", actual: "z" }],
  ["an item that is not in the file", 2, { path: "webhooks[7].event", expected: "B", actual: "z" }],
  ["a value of several lines", 2, { path: "webhooks", expected: [], actual: [] }],
  ["a value that is written otherwise", 1, { path: "status", expected: 202, actual: 200 }],
  ["a found value that would be a matcher", 1, { path: "status", expected: 200, actual: { $any: true } }],
])("%s stays, and its place is named", (_, step, found) => {
  const { text: updated, left } = updateScenario(text, failureOf(step, [found]));
  expect(updated).toBe(text);
  expect(left).toEqual([
    { line: expect.any(Number), column: expect.any(Number), message: expect.stringContaining(found.path) },
  ]);
});

test("a value with an anchor stays: its aliases would change too", () => {
  const anchored = `steps:
  - call: GET /x
    expect: { status: &ok 200, body: &all { status: PENDING } }
  - call: GET /y
    expect: { status: *ok, body: *all }
`;
  const found = [
    { path: "status", expected: 200, actual: 201 },
    { path: "body.status", expected: "PENDING", actual: "DONE" },
  ];
  for (const step of [1, 2]) {
    const { text: updated, left } = updateScenario(anchored, failureOf(step, found));
    expect(updated).toBe(anchored);
    expect(left).toHaveLength(2);
  }
});

const word = fc.constantFrom("PAID", "FAILED", "3", "yes", "a b", "ü", "", "${x}", "#", "- a", "null");
const leaf = fc.oneof(word, fc.integer({ min: -3, max: 3 }), fc.boolean(), fc.constant(null));
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("record")),
  record: fc.dictionary(fc.constantFrom("a", "b", "a.b", "0", "c[0]", "event"), tie("value"), { maxKeys: 3 }),
}));

/** A scenario file that expects a body, and webhooks in order. */
function fileWith(expected: unknown, lineEnd: string): string {
  const body = JSON.stringify(expected).replaceAll("${", "$${");
  return ["name: n # kept", "steps:", "  - call: GET /x", `    expect: { body: ${body} } # kept`, ""].join(
    lineEnd,
  );
}

test("an updated file has the found values at the places of the differences, and all other text", () => {
  fc.assert(
    fc.property(anything, anything, fc.constantFrom("\n", "\r\n"), (expected, actual, lineEnd) => {
      const before = fileWith(expected, lineEnd);
      const differences = differencesOf(expected, actual, "body");
      const { text: after, left } = updateScenario(before, failureOf(1, differences));
      const [start, end] = [before.indexOf("{ body:") + 7, " } # kept".length + lineEnd.length];
      expect([after.slice(0, start), after.slice(-end)]).toEqual([
        before.slice(0, start),
        before.slice(-end),
      ]);
      const written = (parse(after) as { steps: { expect: { body: unknown } }[] }).steps[0]?.expect.body;
      const again = differencesOf(
        JSON.parse(JSON.stringify(written).replaceAll("$${", "${")),
        actual,
        "body",
      );
      // Each difference is either gone, or its place is named.
      expect(again.length).toBeLessThanOrEqual(left.length);
    }),
  );
});
