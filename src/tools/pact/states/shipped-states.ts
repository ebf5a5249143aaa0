import { scenarioContext } from "../../scenarios/context.ts";
import { ProviderStates } from "./provider-states.ts";
import { type PostedScenarios, StateLibrary } from "./state-library.ts";
import { fileURLToPath } from "node:url";

const SHIPPED = {
  states: fileURLToPath(new URL("../../../../scenarios/states/", import.meta.url)),
  scenarios: fileURLToPath(new URL("../../../../scenarios/", import.meta.url)),
};

/** The provider states that ship, and those of more files and folders. Throws `FileMistakes`. */
export function stateLibrary(paths: readonly string[] = [], posted?: PostedScenarios): Promise<StateLibrary> {
  return StateLibrary.open(SHIPPED, paths, { context: scenarioContext(), ...(posted && { posted }) });
}

/** The provider states of a server: those of `stateLibrary`, and how worlds enter them. */
export async function providerStates(
  paths: readonly string[],
  posted: PostedScenarios,
): Promise<ProviderStates> {
  return new ProviderStates(await stateLibrary(paths, posted));
}
