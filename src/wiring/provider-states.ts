import { fileURLToPath } from "node:url";
import { ProviderStates } from "../contracts/states/provider-states.ts";
import { scenarioContext } from "./scenario-context.ts";
import { StateLibrary } from "../contracts/states/state-library.ts";

const SHIPPED = {
  states: fileURLToPath(new URL("../../scenarios/states/", import.meta.url)),
  scenarios: fileURLToPath(new URL("../../scenarios/", import.meta.url)),
};

/** The provider states that ship, and those of more files and folders. Throws `StateFileMistakes`. */
export function stateLibrary(paths: readonly string[] = []): StateLibrary {
  return new StateLibrary(SHIPPED, paths, scenarioContext());
}

/** What enters those states. */
export function providerStates(paths: readonly string[]): ProviderStates {
  return new ProviderStates(stateLibrary(paths));
}
