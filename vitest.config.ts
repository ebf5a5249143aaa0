import { availableParallelism } from "node:os";
import { type TestProjectInlineConfiguration, configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./test/timing/longest-first.ts";

/**
 * A file named `*.slow.test.ts` needs a child process, a browser, sockets that wait, or seconds. All others are fast:
 * `npm run test:fast` runs them alone. The examples run `sandbank` as a command, so they are slow too.
 */
const SLOW = ["test/**/*.slow.test.ts", "examples/**/*.test.ts"];

/**
 * A file named `*.everything.test.ts` needs minutes, real time on a machine that is not busy, or programs that `npm ci`
 * does not install: `npm run test:everything` runs these files alone, and `npm test` leaves them out. An example whose
 * test measures a receiver is one of them.
 */
const EVERYTHING = ["test/**/*.everything.test.ts", "examples/partner/receiver.test.ts"];

/** Tests that drive a browser run only if it is named: `SANDBANK_BROWSER=/usr/bin/chromium npm run test:everything`. */
const browserTests = process.env["SANDBANK_BROWSER"] ? [] : ["test/**/in-a-browser.*.test.ts"];

const shared = {
  // Node imports the sources itself, as it does for the commands. Through Vite, tests need a third more processor time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ["--import", new URL("test/import-by-name.ts", import.meta.url).href],
  env: { PACT_DO_NOT_TRACK: "true" },
  pool: "forks",
  // A worker imports the sources once and keeps them for its next file of the same project. So the projects run one
  // after the other (`groupOrder`): side by side, workers begin anew for most files, and need a third more processor
  // time. Tests share no state of a module: each opens its own sandbox.
  isolate: false,
  // The tests promise no speed: a busy machine is not a broken rule.
  testTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  hookTimeout: 60_000,
} satisfies TestProjectInlineConfiguration["test"];

export default defineConfig({
  test: {
    globalSetup: "test/temporary-folder.ts",
    // Some tests wait for processes and deadlines while others use the processor. Each worker compiles the sources
    // again: four workers on two processors need a tenth more processor time than two.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: process.env["CI"]
      ? ["default", ["json", { outputFile: "build/test-results.json" }]]
      : ["default"],
    projects: [
      {
        test: {
          ...shared,
          name: "slow",
          include: SLOW,
          exclude: [...configDefaults.exclude, ...EVERYTHING, ...browserTests],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...SLOW, ...EVERYTHING],
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...shared,
          name: "everything",
          include: EVERYTHING,
          exclude: [...configDefaults.exclude, ...browserTests],
          globalSetup: "test/outside/set-up.ts",
          testTimeout: 180_000,
          // A part of their time is spent waiting: for processes, browsers and deadlines. More workers take as long, and
          // each test takes longer.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 3 },
          // A process or a browser on a busy machine may be late once; a broken rule fails each time.
          retry: process.env["CI"] ? 1 : 0,
        },
      },
    ],
  },
});
