import type { Argv, CommandModule } from "yargs";

/** The first word of a command line with which a shell requests proposals; the typed words follow. */
export const COMPLETE = "--get-yargs-completions";

/** A command: its flags, and what it does with their values. */
export interface Command {
  readonly flags: (yargs: Argv) => Argv;
  readonly run: (flags: never) => unknown;
}

/** The values of flags, as yargs reads them. */
export type FlagsOf<Flags> = Flags extends (yargs: Argv) => Argv<infer Values> ? Values : never;

/** A command whose work takes exactly the values of its flags. */
export function command<Values>(
  flags: (yargs: Argv) => Argv<Values>,
  run: (values: Values) => unknown,
): Command {
  return { flags, run };
}

/** A command in a list: it is loaded where the command line names it. */
export interface ListedCommand {
  readonly words: string;
  readonly describe: string;
  readonly load: (typed: readonly string[]) => Promise<Command>;
}

/** The list for yargs. Only what is named is loaded, so that `serve` does not load the verifier of contracts. */
export function commandModules(
  list: readonly ListedCommand[],
  typed: readonly string[],
): Promise<CommandModule<object, never>[]> {
  return Promise.all(
    list.map(async ({ words, describe, load }) => {
      if (!typed.includes(nameOf(words))) return { command: words, describe, handler: () => undefined };
      const { flags, run } = await load(typed);
      const handler = async (values: never): Promise<void> => void (await run(values));
      return { command: words, describe, builder: flags as (yargs: Argv) => Argv<never>, handler };
    }),
  );
}

/** A command that only has commands of its own. */
export async function group(
  list: readonly ListedCommand[],
  typed: readonly string[],
  advice: string,
): Promise<Command> {
  const modules = await commandModules(list, typed);
  return command(
    (yargs) => yargs.command(modules as CommandModule[]).demandCommand(1, advice),
    () => undefined,
  );
}

/** The name of a command, without its arguments. */
export function nameOf(words: string): string {
  return words.split(" ", 1)[0] ?? "";
}
