import type { ProviderState } from "../pact/states/state-library.ts";
import { FileMistakes } from "./usage-error.ts";
import { stateLibrary } from "../pact/states/shipped-states.ts";
import { StateFileMistakes } from "../pact/states/state-library.ts";

export interface StatesFlags {
  readonly states?: string[] | undefined;
  readonly json: boolean;
}

/** Lists every provider state with its params and what it gives back. */
export function listStates({ states: paths = [], json }: StatesFlags): void {
  const states = readingStates(() => stateLibrary(paths).all());
  const text = json ? JSON.stringify(states, null, 2) : states.map(stateText).join("\n");
  process.stdout.write(`${text}\n`);
}

/** What is wrong with files of states is told as mistakes of files, exit code 2. */
export function readingStates<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof StateFileMistakes) throw new FileMistakes(error.message);
    throw error;
  }
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
