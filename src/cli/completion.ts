import { UsageError } from "./usage-error.ts";

const SHELLS = ["bash", "zsh"];

/**
 * `sandbank completion [bash|zsh]`: yargs prints the script, for the shell that the environment names. Which shell
 * a terminal really runs is not to be seen there, so it can be said.
 */
export function nameShell(words: readonly string[]): readonly string[] {
  const [command, shell, ...rest] = words;
  if (command !== "completion" || shell === undefined || shell.startsWith("-")) return words;
  if (!SHELLS.includes(shell))
    throw new UsageError(`Failed to complete in ${shell}: there is a script for ${SHELLS.join(" and ")}.`);
  process.env["SHELL"] = `/bin/${shell}`;
  delete process.env["ZSH_NAME"];
  return [command, ...rest];
}
