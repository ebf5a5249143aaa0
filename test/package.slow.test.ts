import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";

test("the package has the licence, the pages, the examples and the data, and no source or test", () => {
  // Without the scripts: the build is in package.everything.test.ts.
  const flags = ["--dry-run", "--json", "--ignore-scripts"];
  const printed = execFileSync("npm", ["pack", ...flags], { stdio: "pipe", encoding: "utf8" });
  const [packed] = JSON.parse(printed) as { files: { path: string }[] }[];
  const files = packed?.files.map(({ path }) => path) ?? [];
  for (const path of [
    "LICENSE",
    "README.md",
    "docs/scenarios.md",
    "examples/receiver.mjs",
    "fixtures/known-payers.json",
    "scenarios/subscriptions/accepted.yaml",
    "skills/sandbank/SKILL.md",
  ])
    expect(files).toContain(path);
  expect(files.filter((path) => /^(src|test|scripts)\/|__pycache__|\/pacts\//.test(path))).toEqual([]);
});

test("no package that comes with sandbank runs a script as it is installed, or reports to its makers", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Readonly<Record<string, { dev?: boolean; hasInstallScript?: boolean }>>;
  };
  const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  expect(installed.map(([path]) => path).filter((path) => path.includes("@scarf/"))).toEqual([]);
});
