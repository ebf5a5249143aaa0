import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { configDefaults, defineConfig } from "vitest/config";

/**
 * A file named `*.slow.test.ts` needs a child process, a browser, hundreds of connections, or seconds. All others
 * are fast: `npm run test:fast` runs them alone. The examples run `sandbank` as a command, so they are slow too.
 */
const SLOW = ["test/**/*.slow.test.ts", "examples/**/*.test.ts"];

/**
 * A file named `*.everything.test.ts` needs programs that `npm ci` does not install, or minutes:
 * `npm run test:everything` runs these files alone, and `npm test` leaves them out.
 */
const EVERYTHING = ["test/**/*.everything.test.ts"];

/** Tests that drive a browser run only where one is named: `SANDBANK_BROWSER=/usr/bin/chromium npm test`. */
const browserTests = process.env["SANDBANK_BROWSER"] ? [] : ["test/**/in-a-browser.slow.test.ts"];

/** What takes longest of all, by its path. */
const LONGEST =
  /test\/(receivers|package|server\/memory|tools\/receiver\/(receiver-check|any-state)|cli\/certify|tools\/explore\/(sockets|partner|kills|explore)|tools\/(books\/planted-errors|doubt\/doubt)|documentation\/(commands|new-resource)|shared\/story|pages\/dashboard\/in-a-browser|sandbox\/gym-with-jobs)\./;

/**
 * Slow files begin first, and of them the longest: a file that begins late runs alone at the end. Slow tests wait much,
 * and the fast ones use the processor meanwhile.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number =>
      LONGEST.test(moduleId) ? 0 : project.name === "slow" ? 1 : 2;
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const shared = {
  // Examples import the package by its name, as projects that copy them do.
  alias: { sandbank: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
  env: { PACT_DO_NOT_TRACK: "true" },
  pool: "forks",
  // A worker imports the sources once and keeps them for its next file. Tests share no state of a module: each opens
  // its own sandbox.
  isolate: false,
  // The tests promise no speed: a busy machine is not a broken rule.
  testTimeout: 60_000,
  // A process or a browser on a busy machine may be late once; a broken rule fails each time.
  retry: process.env["CI"] ? 1 : 0,
  expect: { poll: { timeout: 20_000 } },
  hookTimeout: 60_000,
} as const;

export default defineConfig({
  test: {
    globalSetup: "test/temporary-folder.ts",
    // Most of the time of slow tests is spent waiting: for processes, browsers and deadlines.
    maxWorkers: 3 * availableParallelism(),
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
          exclude: [...configDefaults.exclude, ...browserTests],
        },
      },
      {
        test: {
          ...shared,
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...SLOW, ...EVERYTHING],
        },
      },
      {
        test: {
          ...shared,
          name: "everything",
          include: EVERYTHING,
          globalSetup: "test/outside/set-up.ts",
          testTimeout: 180_000,
        },
      },
    ],
  },
});
