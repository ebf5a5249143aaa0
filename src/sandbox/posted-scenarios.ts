import type { AppOptions } from "./app.ts";
import type { OpenedWorlds } from "../server/opened-worlds.ts";
import type { OpenSandbox } from "../access/open-sandbox.ts";
import type { ScenarioJobs } from "../tools/scenarios/scenario-jobs.ts";
import type { ScenarioLibrary } from "../tools/scenarios/scenario-library.ts";
import { extname } from "node:path";

/** The module of the threads that run the scenarios of a shared server. */
const SCENARIO_THREAD = new URL(`./scenario-thread${extname(import.meta.url)}`, import.meta.url);

/** Returns the scenarios of a server. Their modules are loaded on first use. */
export function postedScenarios(
  shared: OpenedWorlds["scenarios"],
  openSandbox: OpenSandbox,
): { open: AppOptions["openScenarios"]; close: () => Promise<void> } {
  const threads = shared?.threads(SCENARIO_THREAD);
  let opened: Promise<ScenarioLibrary> | undefined;
  const open = async (): Promise<ScenarioLibrary> => {
    const { ScenarioLibrary: Library } = await import("../tools/scenarios/scenario-library.ts");
    if (threads !== undefined) return new Library(jobsIn(threads.run), shared);
    const { scenarioJobs } = await import("../tools/scenarios/scenario-jobs.ts");
    return new Library(scenarioJobs(openSandbox), shared);
  };
  return { open: () => (opened ??= open()), close: async () => threads?.close() };
}

/** Leaves the work with scenario files to threads. */
function jobsIn(run: (kind: string, inputs: readonly unknown[]) => Promise<never>): ScenarioJobs {
  return {
    list: () => run("list", []),
    read: (text) => run("read", [text]),
    parse: (text, params) => run("parse", [text, params]),
    run: (scenario, inputs) => run("run", [scenario, inputs]),
  };
}
