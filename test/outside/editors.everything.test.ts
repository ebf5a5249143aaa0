import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventNames, operationIds } from "../../src/scenarios/vocabulary.ts";
import { hasPackage } from "../find-program.ts";
import { LanguageServer } from "./language-server.ts";
import { globSync, readFileSync } from "node:fs";

const hasServer = hasPackage("yaml-language-server");

let server: LanguageServer;
beforeAll(async () => {
  if (hasServer) server = await LanguageServer.start();
});
afterAll(() => {
  if (hasServer) server[Symbol.dispose]();
});

const scenario = (steps: string): string => `name: A scenario\nsteps:\n${steps}`;

const NO_DURATION = 'String does not match the pattern of "^P[0-9YMWDTHS.,]+$".';
const NO_EVENT = 'Value is not accepted. Valid values: "SUBSCRIPTION.ACCEPTED"';

describe.skipIf(!hasServer)("the YAML language server marks in a scenario what run refuses", () => {
  test.each([
    ["  - call: createSubscription\n    body: { externalID: a }", "Property externalID is not allowed."],
    ["  - call: createPayout\n    body: { amount: { valu: 1 } }", "Property valu is not allowed."],
    ["  - fault: { effect: duplicate, by: PT5M }", "Property by is not allowed."],
    ["  - fault: { effect: duplicate, event: ORDER-PAYOUT.PAYED }", NO_EVENT],
    ["  - expect: { webhooks: [{ event: ORDER-PAYOUT.PAYED }] }", NO_EVENT],
    ["  - expect: { webhooks: { $unordered: [{ event: ORDER-PAYOUT.PAYED }] } }", NO_EVENT],
    ["  - advance: 5 minutes", NO_DURATION],
  ])("%s", async (step, mark) => {
    expect(await server.marksIn(scenario(step), "scenario")).toContainEqual(expect.stringContaining(mark));
  });

  test("an assumption with a wrong value", async () => {
    const text = "name: a\nassumptions: { webhook.rotation: dely }\nsteps: []\n";
    const [mark] = await server.marksIn(text, "scenario");
    expect(mark).toContain('Valid values: "immediate", "delayed", "flapping".');
  });
});

test.skipIf(!hasServer).each([
  ["assumptions: { payout.pix-dely: PT5M }", "Property payout.pix-dely is not allowed."],
  ["assumptions: { webhook.rotation: dely }", 'Valid values: "immediate", "delayed", "flapping".'],
  ["assumptions: { payout.pix-delay: 5 minutes }", NO_DURATION],
])("the YAML language server marks a wrong assumption of a configuration: %s", async (text, mark) => {
  expect(await server.marksIn(text, "config")).toEqual([expect.stringContaining(mark)]);
});

test.skipIf(!hasServer)("the YAML language server marks nothing in the shipped stories", async () => {
  const marked: Record<string, readonly string[]> = {};
  for (const file of globSync("{scenarios/stories,examples}/**/*.yaml").toSorted()) {
    const text = readFileSync(file, "utf8");
    if (!text.includes("scenario.schema.json")) continue;
    const marks = await server.marksIn(text.slice(text.indexOf("\n") + 1), "scenario");
    if (marks.length > 0) marked[file] = marks;
  }
  expect(marked).toEqual({});
});

describe.skipIf(!hasServer)("the YAML language server completes", () => {
  test("an operation, with the operations of the platform alone", async () => {
    expect(await server.wordsAt(scenario("  - call: |\n"), "scenario")).toEqual(operationIds);
  });

  test.each([
    ["  - call: createSubscription\n    body:\n      |\n", ["$use", "externalId", "debtor"]],
    [
      "  - call: createTransparentOrder\n    body:\n      order:\n        paymentMethod: |\n",
      ["PIX", "BOLETO", "SPEI"],
    ],
    ["  - fault:\n      on: webhook\n      event: |\n", eventNames],
    ["  - expect:\n      webhooks:\n        - event: |\n", eventNames],
  ])("%s", async (steps, words) => {
    expect(await server.wordsAt(scenario(steps), "scenario")).toEqual(expect.arrayContaining([...words]));
  });

  test("an assumption of a configuration", async () => {
    const words = await server.wordsAt("assumptions:\n  |\n", "config");
    expect(words).toEqual(expect.arrayContaining(["payout.pix-delay", "webhook.rotation"]));
  });
});
