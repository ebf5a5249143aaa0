import type { ProviderState } from "../tools/pact/states/state-library.ts";
import { notRun } from "./contracts-outcome.ts";
import { stateLibrary } from "../tools/pact/states/shipped-states.ts";

export interface StatesFlags {
  readonly states?: string[] | undefined;
  readonly json: boolean;
}

/** Lists every provider state with its params and the values that it returns. */
export async function listStates({ states: paths = [], json }: StatesFlags): Promise<void> {
  const states = await notRun(async () => (await stateLibrary(paths)).all());
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
