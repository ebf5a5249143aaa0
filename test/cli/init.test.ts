import { PACT } from "../../src/cli/init.ts";
import { expect, test } from "vitest";
import { folderWith } from "./scenario-files.ts";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readConfiguration } from "../../src/cli/config.ts";
import { sandbank } from "./command.ts";

const NAMES = ["sandbank.config.yaml", "scenarios/first-charge.yaml", "test/sandbank.test.mjs"];

test("init writes a configuration that serve reads and a scenario that passes", async () => {
  using folder = folderWith({});
  const place = folder.at("new/project");
  const { code, out, err } = await sandbank("init", place);
  expect([code, err]).toEqual([0, ""]);
  for (const name of NAMES) expect(out).toContain(`Wrote ${place}/${name}\n`);
  const configuration = readConfiguration({ flags: { config: `${place}/${NAMES[0]}` }, environment: {} });
  expect([configuration.frozen.value, configuration.seed.value]).toEqual([true, 7]);
  const ran = await sandbank("run", `${place}/scenarios`);
  expect([ran.code, ran.out]).toEqual([0, expect.stringContaining("1 passed.")]);
});

test("the files of init name the schemas of the package where it is installed", async () => {
  using folder = folderWith({});
  mkdirSync(folder.at("node_modules/sandbank"), { recursive: true });
  await sandbank("init", folder.at("gym"));
  const firstLine = (name: string): string =>
    readFileSync(folder.at(`gym/${name}`), "utf8").split("\n")[0] ?? "";
  expect([NAMES[0], NAMES[1]].map((name) => firstLine(name ?? ""))).toEqual([
    "# yaml-language-server: $schema=../node_modules/sandbank/schemas/config.schema.json",
    "# yaml-language-server: $schema=../../node_modules/sandbank/schemas/scenario.schema.json",
  ]);
});

test("init never overwrites a file", async () => {
  using folder = folderWith({});
  await sandbank("init", folder.at("."));
  writeFileSync(folder.at(NAMES[1] ?? ""), "mine");
  const { code, out } = await sandbank("init", folder.at("."));
  expect([code, out.match(/^Kept .*, which exists$/gm)?.length, out.includes("Wrote")]).toEqual([
    0,
    3,
    false,
  ]);
  expect(readFileSync(folder.at(NAMES[1] ?? ""), "utf8")).toBe("mine");
});

test("a folder that cannot be written is reported in a sentence", async () => {
  using folder = folderWith({ file: "" });
  const { code, err } = await sandbank("init", folder.at("file"));
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^Failed to write .*file.*Name another folder\.\n$/),
  ]);
});

test.each([
  ["without a runner", {}, "test/sandbank.test.mjs", "node --test test/sandbank.test.mjs", "node:test"],
  [
    "with node:test and TypeScript",
    { devDependencies: { typescript: "7" }, scripts: { test: "node --test" } },
    "test/sandbank.test.mts",
    "node --test test/sandbank.test.mts",
    "node:test",
  ],
  [
    "with vitest and TypeScript",
    { devDependencies: { vitest: "5", typescript: "7" } },
    "test/sandbank.test.ts",
    "npx vitest run test/sandbank.test.ts",
    "vitest",
  ],
  [
    "with jest",
    { type: "module", scripts: { test: "jest --ci" } },
    "test/sandbank.test.js",
    "NODE_OPTIONS=--experimental-vm-modules npx jest test/sandbank.test.js",
    "@jest/globals",
  ],
])("the test of a project %s is one for its runner", async (_, packageJson, name, command, runner) => {
  using folder = folderWith({ "package.json": JSON.stringify(packageJson) });
  const { code, out } = await sandbank("init", folder.at("."));
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^  ${command} +runs the test$`, "m"));
  const text = readFileSync(folder.at(name), "utf8");
  expect(text).toContain(`from "${runner}";`);
  expect(text.includes(": Buffer[]")).toBe(name.endsWith("ts"));
  expect(JSON.parse(readFileSync(folder.at("package.json"), "utf8"))).toEqual(packageJson);
});

test.each([
  [
    "vitest of the project above",
    { devDependencies: { vitest: "5" } },
    undefined,
    "npx vitest run",
    "vitest",
  ],
  [
    "vitest of the root of its workspaces",
    { workspaces: ["*"], devDependencies: { vitest: "5" } },
    { name: "gym" },
    "npx vitest run",
    "vitest",
  ],
  [
    "jest of the project above",
    { devDependencies: { jest: "30" } },
    undefined,
    "NODE_OPTIONS=--experimental-vm-modules npx jest",
    "@jest/globals",
  ],
  [
    "its own runner first",
    { devDependencies: { vitest: "5" } },
    { scripts: { test: "node --test" } },
    "node --test",
    "node:test",
  ],
])("a new folder uses %s", async (_, above, own, command, runner) => {
  using folder = folderWith({ "package.json": JSON.stringify(above) });
  mkdirSync(folder.at("gym"));
  if (own !== undefined) writeFileSync(folder.at("gym/package.json"), JSON.stringify(own));
  const { code, out } = await sandbank("init", folder.at("gym"));
  expect(code).toBe(0);
  const [, name = ""] = new RegExp(`^  ${command} (\\S+) +runs the test$`, "m").exec(out) ?? [];
  expect(readFileSync(folder.at(`gym/${name}`), "utf8")).toContain(`from "${runner}";`);
});

test("what lies above the repository of a new folder is not its project", async () => {
  using folder = folderWith({ "package.json": JSON.stringify({ devDependencies: { vitest: "5" } }) });
  mkdirSync(folder.at("gym/.git"), { recursive: true });
  expect((await sandbank("init", folder.at("gym"))).out).toMatch(/^ {2}node --test \S+ +runs the test$/m);
});

test.each([
  ["pnpm-lock.yaml", "pnpm exec sandbank", "node --test"],
  ["yarn.lock", "yarn sandbank", "yarn node --test"],
  ["bun.lock", "bunx sandbank", "node --test"],
])("with %s the commands are those of its package manager", async (lock, command, tested) => {
  using folder = folderWith({ [lock]: "" });
  const { out } = await sandbank("init", folder.at("gym"));
  expect(out).toMatch(new RegExp(`^  ${command} run scenarios +runs the scenario$`, "m"));
  expect(out).toMatch(new RegExp(`^  ${command} serve +starts`, "m"));
  expect(out).toMatch(new RegExp(`^  ${tested} \\S+ +runs the test$`, "m"));
});

test("the first test runs with the Node that is a package of the project", async () => {
  using folder = folderWith({});
  mkdirSync(folder.at("node_modules/.bin"), { recursive: true });
  writeFileSync(folder.at("node_modules/.bin/node"), "");
  expect((await sandbank("init", folder.at("gym"))).out).toMatch(/^ {2}npx node --test \S+ +runs/m);
});

test("init adds scripts only when asked, and keeps those that are there", async () => {
  const own = { name: "gym", scripts: { "sandbank:serve": "mine", test: "vitest" } };
  using folder = folderWith({ "package.json": JSON.stringify(own, null, 4) });
  await sandbank("init", folder.at("."), "--scripts");
  const scripts = { ...own.scripts, "sandbank:run": "sandbank run scenarios" };
  expect(readFileSync(folder.at("package.json"), "utf8")).toBe(
    `${JSON.stringify({ ...own, scripts }, null, 4)}\n`,
  );
});

test("init --contracts adds the Pact library that this package is tested with", async () => {
  const own = { name: "gym", devDependencies: { vitest: "*" } };
  using folder = folderWith({ "package.json": JSON.stringify(own, null, 2) });
  const { out } = await sandbank("init", folder.at("."), "--contracts", "--scripts");
  expect(out).toContain("package.json: @pact-foundation/pact\n");
  const json = JSON.parse(readFileSync(folder.at("package.json"), "utf8")) as typeof own & {
    scripts: object;
  };
  expect(json.devDependencies).toEqual({ vitest: "*", ...PACT });
  expect(Object.keys(json.scripts)).toEqual(["sandbank:serve", "sandbank:run"]);
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as typeof own;
  expect(PACT).toEqual({
    "@pact-foundation/pact": `^${Object.entries(devDependencies).find(([name]) => name in PACT)?.[1]}`,
  });
});

test("init --scripts without a package.json, and a broken one, are refused in a sentence", async () => {
  using folder = folderWith({ "package.json": "{" });
  const missing = await sandbank("init", folder.at("new"), "--scripts");
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("Run npm init -y")]);
  const broken = await sandbank("init", folder.at("."));
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("package.json: ")]);
});
