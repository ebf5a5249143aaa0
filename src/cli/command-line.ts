import type { Setting } from "../server/settings/settings.ts";
import yargs, { type Argv } from "yargs";
import { withChecks } from "./checks.ts";
import {
  COMPLETE,
  commandModules,
  type Flags,
  flagsOf,
  type Loaded,
  loadNamed,
  nameOf,
  withJoinedValues,
} from "./command.ts";
import { commands } from "./commands.ts";
import { examplesText } from "./examples.ts";
import { ControlFailure } from "../server/control/client.js";
import { CommandFailure, FileMistakes, NotTried, UsageError } from "../base/failures.ts";
import { endWith } from "./exit-code.ts";
import { EXIT_CODES_TEXT } from "../reports/conclusion.ts";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { packageVersion } from "../base/package.ts";
import { note, outliveReaders } from "./standard-streams.ts";
import { systemWall } from "../base/wall.ts";

outliveReaders();

/** Runs a command line and sets the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    const typed = await withChecks(withShell(words));
    const [loaded, proposals] = await Promise.all([loadNamed(commands, typed), proposalsFor(typed)]);
    const joined = withJoinedValues(typed, flagsOf(commands, typed, loaded));
    await parserOf({ loaded, words: joined, proposals }).parseAsync(joined);
  } catch (error) {
    const isWrongUse =
      isAboutTemporaryFolder(error) ||
      [UsageError, FileMistakes, NotTried, ControlFailure].some((kind) => error instanceof kind);
    endWith(isWrongUse ? "undecided" : "failed");
    note(`${explain(error, words)}\n`);
  }
}

interface ParserOptions {
  readonly loaded: Loaded;
  readonly words: readonly string[];
  /** The proposals for a shell, if they are different from those of yargs. */
  readonly proposals: readonly string[] | undefined;
}

function parserOf({ loaded, words, proposals }: ParserOptions): Argv {
  const flags = flagsOf(commands, words, loaded);
  // yargs writes a page for each command that it runs. A whole page takes a tenth of a start.
  const isPageRead = words.some((word) => word === COMPLETE || word.includes("help"));
  const complete = (_word: string, _argv: unknown, usual: () => void, done: (all: string[]) => void) =>
    proposals === undefined ? usual() : done([...proposals]);
  return yargs()
    .scriptName("sandbank")
    .usage("$0 <command>\n\nA local sandbox of a banking, subscription and order platform.")
    .command(commandModules(commands, { loaded, wall: systemWall, isPageRead, end: examplesText }))
    .demandCommand(1, "Name a command, such as sandbank serve, which starts the sandbox.")
    .strict()
    .check(() => {
      const wrong = wrongSwitch(words, flags);
      if (wrong !== undefined) throw new UsageError(wrong);
      return true;
    })
    .recommendCommands()
    .completion("completion", "Print the completion script of your shell, bash or zsh", complete)
    .epilogue(
      `Settings of serve come from flags, SANDBANK_ variables and sandbank.config.yaml. A flag overrides a variable, and a variable overrides the file.\n${EXIT_CODES_TEXT}`,
    )
    .version(packageVersion())
    .help()
    .wrap(isPageRead ? Math.min(110, process.stdout.columns ?? 110) : null)
    .fail((message, error) => {
      // A YError is the user's mistake. Every other error comes from a command.
      if (error !== undefined && error.name !== "YError") throw error;
      throw new UsageError(inPlainWords(message ?? error?.message ?? "", namesOf(flags)));
    });
}

/** Rewrites messages of yargs that do not name the problem, and proposes flags for unknown ones. */
function inPlainWords(message: string, names: readonly string[]): string {
  const [, unknown] = /^Unknown arguments?: (.+)$/s.exec(message) ?? [];
  if (unknown !== undefined) return `${message}.${proposed(unknown.split(", "), names)}`;
  return message
    .replace(
      /^Not enough non-option arguments: got (\d+), need at least (\d+)$/,
      "An argument is missing: found $1, required $2.",
    )
    .replace(/^Did you mean .+\?$/, "This command is unknown. $&");
}

/** Returns "Did you mean --frozen?" for unknown flags that resemble known ones. */
function proposed(unknown: readonly string[], names: readonly string[]): string {
  const found = unknown
    .map((name) => suggestion(name, names))
    .filter((text) => text.startsWith("Did you mean"));
  return found.map((text) => ` ${text.replace(/^Did you mean /, "Did you mean --")}`).join("");
}

/** Explains an error in a sentence. The stack is shown only for a bug. */
function explain(error: unknown, words: readonly string[]): string {
  if (error instanceof UsageError) return `${error.message}\n${adviceFor(words)}`;
  if (error instanceof FileMistakes || error instanceof NotTried || error instanceof CommandFailure)
    return error.message;
  if (error instanceof ControlFailure)
    return `${error.message}${error.status === 401 ? " Set it in SANDBANK_ADMIN_TOKEN." : ""}`;
  if (isAboutTemporaryFolder(error))
    return `Failed to make a temporary folder: ${error.message}. Set TMPDIR to a folder that you can write to.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isAboutTemporaryFolder(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === "mkdtemp";
}

/** Returns the help page of the named command, or the list of commands. */
function adviceFor([command = "", action = ""]: readonly string[]): string {
  if (!commands.some(({ words }) => nameOf(words) === command)) return "See sandbank --help.";
  const named = ["contracts", "receiver"].includes(command) && /^\w/.test(action) ? ` ${action}` : "";
  return `See sandbank ${command}${named} --help.`;
}

/** Returns the values of a setting. yargs proposes choices too, but it would also check them, one problem at a time. */
async function proposalsFor(words: readonly string[]): Promise<readonly string[] | undefined> {
  const flag = words.at(-2) ?? "";
  if (words[0] !== COMPLETE || !flag.startsWith("--")) return undefined;
  const { settings } = await import("../server/settings/settings.ts");
  const setting = new Map<string, Setting>(Object.entries(settings)).get(flag.slice(2));
  return setting?.type.choices ?? setting?.type.proposals?.();
}

const SHELLS = ["bash", "zsh"];

/** Sets the shell of `sandbank completion [bash|zsh]`. yargs would read it from the environment, which may be wrong. */
function withShell(words: readonly string[]): readonly string[] {
  const [command, shell, ...rest] = words;
  if (command !== "completion" || shell === undefined || shell.startsWith("-")) return words;
  if (!SHELLS.includes(shell))
    throw new UsageError(
      `Failed to complete in ${shell}: scripts exist only for ${SHELLS.join(" and ")}. Choose one of them.`,
    );
  process.env["SHELL"] = `/bin/${shell}`;
  delete process.env["ZSH_NAME"];
  return [command, ...rest];
}

/** Returns the names of flags, with those of every command. */
function namesOf(flags: Flags): string[] {
  return [...new Set([...Object.keys(flags), "help", "version"])];
}

/** Says which boolean flag has another value. yargs reads every word but `true` as false. */
function wrongSwitch(words: readonly string[], flags: Flags): string | undefined {
  const isSwitch = (name: string): boolean => (flags[name] ?? { type: "boolean" }).type === "boolean";
  const switches = new Set(namesOf(flags).filter(isSwitch));
  for (const word of words) {
    const [, name = "", value = ""] = /^--([\w-]+)=(.*)$/s.exec(word) ?? [];
    if (switches.has(name) && !/^(true|false)$/.test(value))
      return `--${name} must be true or false; found "${value}".`;
  }
  return undefined;
}
