import type { Argv, CommandModule, PositionalOptions } from "yargs";
import type { Flag } from "./flags.ts";
import { UsageError } from "../process/failures.ts";

/** The first word of a command line with which a shell requests proposals; the typed words follow. */
export const COMPLETE = "--get-yargs-completions";

/** A command: its flags, and what it does with their values. */
export interface Command {
  readonly flags: (yargs: Argv) => Argv;
  readonly run: (values: never) => unknown;
}

type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of flags, by their names. */
export type ValuesOf<All extends Flags> = {
  readonly [Name in keyof All]: All[Name] extends Flag<infer Value> ? Value : never;
};

/** A command whose work takes exactly the values of its flags. */
export function command<All extends Flags>(
  flags: All,
  run: (values: ValuesOf<All>) => unknown,
  usage?: string,
): Command {
  return { flags: (yargs) => withFlags(usage === undefined ? yargs : yargs.usage(usage), flags), run };
}

function withFlags(yargs: Argv, flags: Flags): Argv {
  for (const [name, { isArgument, read, ...options }] of Object.entries(flags)) {
    // A flag of that name takes the place of the one that yargs has.
    if (name === "version") yargs.version(false);
    const flag = isArgument === true ? `<${name}>` : `--${name}`;
    const coerce = (written: unknown): unknown => {
      if (Array.isArray(written) && options.array !== true)
        throw new UsageError(`${flag} must be given once; found ${written.length} times.`);
      return written === undefined || read === undefined ? written : read(written as never, flag);
    };
    const all = { ...options, coerce };
    if (isArgument === true) yargs.positional(name, all as PositionalOptions);
    else yargs.option(name, all);
  }
  return yargs;
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
  return {
    flags: (yargs) => yargs.command(modules as CommandModule[]).demandCommand(1, advice),
    run: () => undefined,
  };
}

/** The name of a command, without its arguments. */
export function nameOf(words: string): string {
  return words.split(" ", 1)[0] ?? "";
}
