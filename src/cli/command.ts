import type { Argv, CommandModule, PositionalOptions } from "yargs";
import type { Flag } from "./flags.ts";
import type { Wall } from "../base/wall.ts";
import { UsageError } from "../base/failures.ts";

/** The first word of a command line that a shell sends to request proposals. The typed words follow. */
export const COMPLETE = "--get-yargs-completions";

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** A command: its flags, and its work with their values on a wall. */
export interface Command {
  readonly flags: Flags;
  readonly run: (values: never, wall: Wall) => unknown;
  readonly usage?: string | undefined;
}

/** The values of flags, by their names. */
export type ValuesOf<All extends Flags> = {
  readonly [Name in keyof All]: All[Name] extends Flag<infer Value> ? Value : never;
};

/** Makes a command. Its work takes exactly the values of its flags, and the time outside the sandbox. */
export function command<All extends Flags>(
  flags: All,
  run: (values: ValuesOf<All>, wall: Wall) => unknown,
  usage?: string,
): Command {
  return { flags, run, usage };
}

/** A command in a list. It is loaded if the command line names it, or it only contains other commands. */
export type ListedCommand = { readonly words: string; readonly describe: string } & (
  | { readonly load: (typed: readonly string[]) => Promise<Command> }
  | { readonly commands: readonly ListedCommand[]; readonly advice: string }
);

/** Returns the name of a command, without its arguments. */
export function nameOf(words: string): string {
  return words.split(" ", 1)[0] ?? "";
}

/** The commands that a command line names, loaded: `serve` does not load the verifier of contracts. */
export type Loaded = ReadonlyMap<ListedCommand, Command>;

export async function loadNamed(list: readonly ListedCommand[], typed: readonly string[]): Promise<Loaded> {
  const named = list.filter(({ words }) => typed.includes(nameOf(words)));
  const loaded = await Promise.all(
    named.map(async (listed) =>
      "load" in listed
        ? [[listed, await listed.load(typed)] as const]
        : Array.from(await loadNamed(listed.commands, typed)),
    ),
  );
  return new Map(loaded.flat());
}

/** Returns the flags of the command at the beginning of a command line. Empty if it names no command. */
export function flagsOf(
  list: readonly ListedCommand[],
  [name, ...rest]: readonly string[],
  loaded: Loaded,
): Flags {
  const listed = list.find(({ words }) => nameOf(words) === name);
  if (listed === undefined) return {};
  return "load" in listed ? (loaded.get(listed)?.flags ?? {}) : flagsOf(listed.commands, rest, loaded);
}

interface ModuleOptions {
  readonly loaded: Loaded;
  readonly wall: Wall;
  /** True if the help page is read. Otherwise it has no flags. */
  readonly isPageRead: boolean;
  /** Returns the text below the flags of a command and of the commands inside it. */
  readonly end: (name: string) => string;
}

/** Returns the list for yargs. */
export function commandModules(
  list: readonly ListedCommand[],
  options: ModuleOptions,
): CommandModule<object, never>[] {
  const { loaded, wall, isPageRead, end } = options;
  return list.map((listed) => {
    const { words, describe } = listed;
    const own = { command: words, describe };
    const ended = (yargs: Argv): Argv => yargs.epilogue(end(nameOf(words)));
    if ("commands" in listed) {
      const modules = commandModules(listed.commands, options) as CommandModule[];
      const builder = (yargs: Argv): Argv => ended(yargs.command(modules).demandCommand(1, listed.advice));
      return { ...own, builder: builder as (yargs: Argv) => Argv<never>, handler: () => undefined };
    }
    const found = loaded.get(listed);
    if (found === undefined) return { ...own, handler: () => undefined };
    return {
      ...own,
      builder: (yargs: Argv) => ended(withFlags(yargs, found, { hidden: !isPageRead })) as Argv<never>,
      handler: async (values: never) => {
        requireTogether(found.flags, values);
        await found.run(values, wall);
      },
    };
  });
}

/** Throws a `UsageError` if a flag is given without another flag that it needs, or with one that it excludes. */
function requireTogether(flags: Flags, values: Readonly<Record<string, unknown>>): void {
  const isGiven = (name: string): boolean => values[name] !== undefined && values[name] !== false;
  for (const [name, { implies, needsOne, excludes = [] }] of Object.entries(flags)) {
    if (!isGiven(name)) continue;
    for (const other of excludes)
      if (isGiven(other))
        throw new UsageError(`--${name} and --${other} exclude each other. Give one of them.`);
    const missing = [implies ?? []]
      .flat()
      .map(String)
      .find((needed) => !isGiven(needed));
    const [first] = needsOne?.some(isGiven) === false ? needsOne : [];
    const needed = missing ?? first;
    if (needed === undefined) continue;
    const words = missing === undefined ? needsOne?.map((one) => `--${one}`).join(" or ") : `--${missing}`;
    throw new UsageError(`--${name} requires ${words}: ${flags[needed]?.describe}. Give both.`);
  }
}

/**
 * Joins each flag with its value if the value begins with dashes, so that it is not read as a flag: `--serve=--frozen`.
 * A word with blanks is never a flag.
 */
export function withJoinedValues(words: readonly string[], flags: Flags): string[] {
  const joined: string[] = [];
  const end = words.indexOf("--");
  for (let index = 0; index < words.length; index++) {
    const [word = "", next = ""] = words.slice(index);
    const flag = word.startsWith("--") ? flags[word.slice(2)] : undefined;
    const isBefore = end === -1 || index + 1 < end;
    const takesText = flag !== undefined && flag.type !== "boolean";
    if (isBefore && takesText && next.startsWith("-") && (flag.isAnyText === true || /\s/.test(next))) {
      joined.push(`${word}=${next}`);
      index += 1;
    } else joined.push(word);
  }
  return joined;
}

function withFlags(yargs: Argv, { flags, usage }: Command, shown: { readonly hidden: boolean }): Argv {
  if (usage !== undefined) yargs.usage(usage);
  for (const [
    name,
    { isArgument, read, implies: _, needsOne: __, excludes: ___, isAnyText: ____, ...options },
  ] of Object.entries(flags)) {
    // A flag of that name replaces the flag of yargs.
    if (name === "version") yargs.version(false);
    const flag = isArgument === true ? `<${name}>` : `--${name}`;
    const coerce = (written: unknown): unknown => {
      if (Array.isArray(written) && options.array !== true)
        throw new UsageError(`${flag} must be given once; found ${written.length} times.`);
      return written === undefined || read === undefined ? written : read(written as never, flag);
    };
    const all = { ...options, ...shown, coerce };
    if (isArgument === true) yargs.positional(name, all as PositionalOptions);
    else yargs.option(name, all);
  }
  return yargs;
}
