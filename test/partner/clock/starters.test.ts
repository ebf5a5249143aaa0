import { expect, test } from "vitest";
import { folderWith } from "../../cli/scenario-files.ts";
import { isStarter } from "../../../src/partner/clock/starters.ts";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";

test("a program follows the clock whatever its name is, and package managers do not", () => {
  using folder = folderWith({ "package.json": '{ "name": "gym" }' });
  for (const name of ["npm.js", "yarn.js", "npx", "pnpm.cjs", "corepack.js"]) {
    writeFileSync(folder.at(name), "");
    expect(isStarter(folder.at(name))).toBe(false);
  }
  for (const [name, file] of [
    ["npm", "bin/npm-cli.js"],
    ["pnpm", "bin/pnpm.cjs"],
    ["tsx", "dist/cli.mjs"],
  ] as const) {
    const path = folder.at(`node_modules/${name}/${file}`);
    mkdirSync(folder.at(`node_modules/${name}/${file}/..`), { recursive: true });
    writeFileSync(folder.at(`node_modules/${name}/package.json`), JSON.stringify({ name }));
    writeFileSync(path, "");
    symlinkSync(path, folder.at(`${name}-link`));
    expect([isStarter(path), isStarter(folder.at(`${name}-link`))]).toEqual([true, true]);
  }
  mkdirSync(folder.at(".yarn/releases"), { recursive: true });
  writeFileSync(folder.at(".yarn/releases/yarn-4.9.1.cjs"), "");
  expect(isStarter(folder.at(".yarn/releases/yarn-4.9.1.cjs"))).toBe(true);
  expect(isStarter(folder.at("missing.js"))).toBe(false);
});
