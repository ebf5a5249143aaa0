import type { ScenarioLibrary } from "../tools/scenarios/scenario-library.ts";
import type { AppOptions } from "./app.ts";
import type { OpenedWorlds } from "../server/saved-worlds.ts";
import { extname } from "node:path";

/** The module of the threads that run posted scenarios. */
const SCENARIO_THREAD = new URL(`./scenario-worker${extname(import.meta.url)}`, import.meta.url);

/** Returns the scenarios of a server. Their module is loaded on first use. */
export function openLibrary(shared: OpenedWorlds["scenarios"]): {
  open: AppOptions["openScenarios"];
  close: () => Promise<void>;
} {
  let opened: Promise<ScenarioLibrary> | undefined;
  return {
    open: () =>
      (opened ??= import("../tools/scenarios/scenario-library.ts").then(
        (module) => new module.ScenarioLibrary(SCENARIO_THREAD, shared),
      )),
    close: async () => (await opened)?.close(),
  };
}
