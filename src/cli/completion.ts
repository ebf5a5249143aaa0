import { UsageError } from "./usage-error.ts";

const SHELLS = ["bash", "zsh"];

/** What the script of a shell asks with, before the words that were typed so far. */
const ASKING = "--get-yargs-completions";

/** The command whose words are to be completed; undefined where the command itself is, or nothing. */
export function commandToComplete([flag, , command, ...rest]: readonly string[]): string | undefined {
  return flag === ASKING && rest.length > 0 ? command : undefined;
}

/** What can stand after a flag that takes one of several words, which yargs does not know of. */
export async function valuesToComplete(words: readonly string[]): Promise<readonly string[] | undefined> {
  if (words[0] !== ASKING) return undefined;
  const flag = words.at(-2);
  if (flag === "--log-level") return (await import("./configuration/settings.ts")).LOG_LEVELS;
  if (flag !== "--assume") return undefined;
  const { listAssumptions } = await import("../platform/assumptions/listing.ts");
  const settable = listAssumptions().filter((one) => one.settable);
  return settable.map(({ id }) => `${id}=`);
}

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
