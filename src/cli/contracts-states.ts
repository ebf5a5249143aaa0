import type { Argv } from "yargs";
import { type FlagsOf, command } from "./command.ts";
import type { ProviderState } from "../tools/pact/states/state-library.ts";
import { stateLibrary } from "../tools/pact/states/shipped-states.ts";

const flags = (yargs: Argv) =>
  yargs.options({
    states: { type: "string", array: true, describe: "Files or folders of your own provider states" },
    json: { type: "boolean", default: false, describe: "As JSON, with the schemas of the params" },
  });

type StatesFlags = FlagsOf<typeof flags>;

export const statesCommand = command(flags, listStates);

/** Lists every provider state with its params and the values that it returns. */
async function listStates({ states: paths = [], json }: StatesFlags): Promise<void> {
  const states = (await stateLibrary(paths)).all();
  const text = json ? JSON.stringify(states, null, 2) : states.map(stateText).join("\n");
  process.stdout.write(`${text}\n`);
}

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
