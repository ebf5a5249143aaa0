import { commands } from "../../src/cli/commands.ts";
import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";
import { globSync, readFileSync } from "node:fs";
import { nameOf } from "../../src/cli/command.ts";
import { pagesIn } from "../../src/pages/guide.ts";

const contents = readFileSync("llms.txt", "utf8");
const skill = readFileSync("skills/sandbank/SKILL.md", "utf8");

test("the contents for agents begin with the first steps, and link to every page", () => {
  const linked = pagesIn(contents);
  expect(linked[0]).toBe("README.md");
  expect(linked.length).toBeGreaterThan(15);
  expect(new Set(linked).size).toBe(linked.length);
  expect(new Set(linked)).toEqual(new Set(["README.md", ...globSync("docs/{,flows/,assumptions/}*.md")]));
});

test("the sandbox serves the contents, the pages that they link to, and all of them in one file", async () => {
  await using sandbox = await createSandbox({ adminToken: "let-me-in" });
  const read = async (path: string) => {
    const answer = await sandbox.fetch(path);
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
  };
  expect(await read("/llms.txt")).toEqual({
    status: 200,
    type: "text/plain; charset=utf-8",
    text: contents.replaceAll("http://127.0.0.1:4010", "http://localhost"),
  });
  const page = readFileSync("docs/faults.md", "utf8");
  expect(await read("/docs/faults.md")).toMatchObject({ type: "text/markdown; charset=utf-8", text: page });
  const { text } = await read("/llms-full.txt");
  for (const path of pagesIn(contents)) expect(text).toContain(readFileSync(path, "utf8"));
  for (const path of ["/docs/none.md", "/CONTRIBUTING.md", "/docs/..%2Fpackage.json", "/package.json"])
    expect((await read(path)).status).toBe(404);
});

test("the skill has the form that agents read, ten commands that exist, and warns of the second payout first", () => {
  expect(skill).toMatch(/^---\nname: sandbank\ndescription: [^\n]{100,1024}\n---\n/);
  const named = Array.from(skill.matchAll(/^\| `sandbank (\w+)/gm), ([, name]) => name);
  expect(new Set(named).size).toBe(10);
  expect(named.filter((name) => !commands.some(({ words }) => nameOf(words) === name))).toEqual([]);
  expect(skill).toContain("1. **A payout repeated under a new key pays twice.**");
});
