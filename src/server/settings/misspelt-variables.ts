import { nearestWords } from "../../simulator/engine/suggestion.ts";
import { settingNames, variableOf } from "./settings.ts";

const PREFIX = "SANDBANK_";

/** Variables of other commands, and those that sandbank sets for the programs that it starts. */
const OTHER_VARIABLES = ["CLOCK", "DOUBT_RECORD", "LEAVE", "MUTANT", "PROCESS_GROUP", "REPORTER", "URL"];

/**
 * Returns a sentence for each variable whose name is nearly the name of a setting. A cluster sets other variables with
 * the same beginning, so all other names are ignored.
 */
export function misspeltVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const own = [...settingNames, "config" as const].map((name) => variableOf(name).slice(PREFIX.length));
  const known = new Set<string>([...own, ...OTHER_VARIABLES]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name.slice(PREFIX.length)))
    .flatMap((name) => {
      const [meant] = nearestWords(name.slice(PREFIX.length), own);
      return meant === undefined ? [] : [`The variable ${name} is not used. Did you mean ${PREFIX}${meant}?`];
    });
}
