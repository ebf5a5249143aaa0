import { print } from "./standard-streams.ts";
import { command } from "./command.ts";
import { texts, toggle } from "./flags.ts";
import type { ProviderState } from "../scenarios/scenario-jobs.ts";
import { stateLibrary } from "../contracts/states/state-library.ts";

const flags = {
  states: texts("Files or folders of your own provider states"),
  json: toggle("Print JSON with the schemas of the parameters", { default: false }),
};

/** Lists every provider state with its params and the values that it returns. */
export const statesCommand = command(flags, async ({ states: paths = [], json }) => {
  const states = (await stateLibrary(paths)).all();
  const text = json ? JSON.stringify(states, null, 2) : states.map(stateText).join("\n");
  print(`${text}\n`);
});

function stateText({ name, description, params, returns }: ProviderState): string {
  const inputs = Object.entries(params).map(
    ([param, { default: byDefault }]) => `${param} = ${JSON.stringify(byDefault)}`,
  );
  return [
    name,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...(inputs.length === 0 ? [] : [`    params: ${inputs.join(", ")}`]),
    ...(returns.length === 0 ? [] : [`    returns: ${returns.join(", ")}`]),
  ].join("\n");
}
