import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { blocksOf } from "./page.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { readScenarioSchema } from "../../src/scenarios/schema.ts";
import { run } from "../scenario-runs.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";

/** What stories show that are there to show a failure, or a mistake of the file. */
const FAILING: Readonly<Record<string, string>> = { "too-early.yaml": "failed", "misspelt.yaml": "wrong" };

const stories = ["README.md", ...globSync("docs/**/*.md"), ...globSync("examples/**/*.md")].flatMap((page) =>
  blocksOf(page)
    .filter(({ language, text }) => language === "yaml" && /^steps:/m.test(text))
    .map(({ title = "untitled.yaml", text, line }) => ({ page, title, text, line })),
);

async function verdictOf(text: string, file: string): Promise<string> {
  const { scenarios, mistakes } = parseScenario(text, file, scenarioContext());
  if (mistakes.length > 0)
    return FAILING[file] === "wrong" ? "wrong" : mistakes.map(formatMistake).join("\n");
  const results = await Promise.all(scenarios.map((scenario) => run(scenario)));
  const failed = results.find(({ status }) => status !== "passed");
  if (failed === undefined) return "passed";
  return FAILING[file] === "failed" ? "failed" : JSON.stringify(failed.failure, null, 2);
}

test.each(stories)("the story $title of $page:$line does what its page says", async ({ title, text }) => {
  expect(await verdictOf(text, title)).toBe(FAILING[title] ?? "passed");
});

test("the page about scenarios shows every word of the language", () => {
  const page = readFileSync("docs/scenarios.md", "utf8");
  const { properties = {}, $defs } = readScenarioSchema();
  const matchers = Object.keys($defs["expected"]?.properties ?? {}).filter((name) => name.startsWith("$"));
  const tops = Object.keys(properties).map((name) => `${name}:`);
  const verbs = ["call", "act", "plan", "advance", "fault", "receiver", "expect"].map((verb) => `- ${verb}:`);
  const words = [...verbs, ...tops, ...matchers];
  expect(words.length).toBeGreaterThan(30);
  expect(words.filter((word) => !page.includes(word))).toEqual([]);
});
