import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

/** What drives a real browser runs where one is named: `SANDBANK_BROWSER=/usr/bin/chromium npm test`. */
const browserTests = process.env["SANDBANK_BROWSER"] ? [] : ["test/**/in-a-browser.test.ts"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    // Examples import the package by its name, as those who copy them do.
    alias: { sandbank: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
    exclude: [...configDefaults.exclude, ...browserTests],
    env: { PACT_DO_NOT_TRACK: "true" },
    pool: "forks",
    // Half of the tests wait for a process of their own: one worker for each core keeps the machine at work.
    maxWorkers: "100%",
    // No promise of speed: a busy machine is not a broken rule.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "build/test-results.json" }]]
      : ["default"],
  },
});
