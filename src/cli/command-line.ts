import type { Argv, CommandModule } from "yargs";
import yargs from "yargs";
import { commandToComplete, nameShell, valuesToComplete } from "./completion.ts";
import { examplesText } from "./examples.ts";
import { assertDefined } from "../engine/assertion.ts";
import { wrongSwitch, wrongUse } from "./wrong-use.ts";
import { CommandFailure, FileMistakes, UsageError } from "./usage-error.ts";
import { packageVersion } from "./package-version.ts";

/** Exit codes: 1 something did not work out, 2 the command or a file is wrong. */
const EXIT_FAILED = 1;
const EXIT_WRONG_USE = 2;

// A reader that has seen enough, such as `head`, is no mistake.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : EXIT_FAILED);
});

/** The commands, each loaded only where it is named: a start that serves need not know how contracts are verified. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandModule<object, never>>>> = {
  serve: async () => (await import("./serve.ts")).serveCommand as CommandModule<object, never>,
  run: async () => (await import("./run.ts")).runCommand as CommandModule<object, never>,
  config: async () => (await import("./config.ts")).configCommand as CommandModule<object, never>,
  health: async () => (await import("./health.ts")).healthCommand as CommandModule<object, never>,
  contracts: async () => (await import("./contracts.ts")).contractsCommand as CommandModule<object, never>,
  receiver: async () => (await import("./receiver.ts")).receiverCommand as CommandModule<object, never>,
  assumptions: async () =>
    (await import("./assumptions.ts")).assumptionsCommand as CommandModule<object, never>,
  openapi: async () => (await import("./openapi.ts")).openApiCommand as CommandModule<object, never>,
  schema: async () => (await import("./schema.ts")).schemaCommand as CommandModule<object, never>,
  secret: async () => (await import("./secret.ts")).secretCommand as CommandModule<object, never>,
};

/** Does what a command line says, and sets the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    const said = nameShell(words);
    const [commands, values] = await Promise.all([commandsFor(said), valuesToComplete(said)]);
    await parserOf({ commands, words: said, values }).parseAsync([...said]);
  } catch (error) {
    const isWrongUse = error instanceof UsageError || error instanceof FileMistakes;
    process.exitCode = isWrongUse ? EXIT_WRONG_USE : EXIT_FAILED;
    process.stderr.write(`${explain(error, words)}\n`);
  }
}

/** The command that is named; all of them where none is, or one that there is not. */
function commandsFor(words: readonly string[]): Promise<CommandModule<object, never>[]> {
  const name = commandToComplete(words) ?? words[0] ?? "";
  const names = Object.hasOwn(COMMANDS, name) ? [name] : Object.keys(COMMANDS);
  return Promise.all(names.map(withExamples));
}

async function withExamples(name: string): Promise<CommandModule<object, never>> {
  const command = await assertDefined(COMMANDS[name], `the command ${name}`)();
  const { builder = {} } = command;
  return {
    ...command,
    builder: (parser) => {
      const built = typeof builder === "function" ? (builder(parser) as Argv) : parser.options(builder);
      return built.epilogue(examplesText(name)) as Argv<never>;
    },
  };
}

interface ParserOptions {
  readonly commands: readonly CommandModule<object, never>[];
  readonly words: readonly string[];
  /** What can stand where a word is to be completed, where that is not what yargs knows. */
  readonly values: readonly string[] | undefined;
}

function parserOf({ commands, words, values }: ParserOptions): Argv {
  const parser: Argv = yargs();
  const complete = (_word: string, _argv: unknown, usual: () => void, done: (all: string[]) => void) =>
    values === undefined ? usual() : done([...values]);
  return parser
    .scriptName("sandbank")
    .usage("$0 <command>\n\nA sandbox of a banking, subscription and order platform, on your own machine.")
    .command(commands as CommandModule<object, never>[])
    .demandCommand(1, "Name a command: sandbank serve starts the sandbox.")
    .strict()
    .check(() => {
      const wrong = wrongSwitch(words, optionsOf(parser).boolean);
      if (wrong !== undefined) throw new UsageError(wrong);
      return true;
    })
    .recommendCommands()
    .completion("completion", "Print a script that completes commands in your shell, bash or zsh", complete)
    .epilogue(
      "Settings of serve come from flags, SANDBANK_ variables and sandbank.config.yaml, in that order of strength.\nExit codes: 0 well, 1 something did not work out, 2 the command or a file is wrong.",
    )
    .version(packageVersion())
    .help()
    .wrap(Math.min(110, process.stdout.columns ?? 110))
    .fail((message, error) => {
      // What yargs itself finds wrong, and what reading a flag finds wrong, is the user's to mend.
      if (error !== undefined && error.name !== "YError") throw error;
      const typed = { words, flags: flagsOf(parser), positionals: positionalsOf(parser) };
      throw new UsageError(wrongUse(message ?? error?.message ?? "", typed));
    });
}

/** The flags of the command that was typed, which yargs knows once it has come to it. */
function flagsOf(parser: Argv): string[] {
  return Object.keys(optionsOf(parser).key);
}

interface KnownOptions {
  readonly key: Readonly<Record<string, unknown>>;
  readonly boolean: readonly string[];
}

function optionsOf(parser: Argv): KnownOptions {
  return (parser as unknown as { getOptions(): KnownOptions }).getOptions();
}

/** What the command that was typed takes without dashes, in its order. */
function positionalsOf(parser: Argv): readonly string[] {
  const { "Positionals:": names = [] } = (
    parser as unknown as { getGroups(): Record<string, readonly string[]> }
  ).getGroups();
  return names;
}

/** A person gets the sentence; only a bug of ours shows its stack. */
function explain(error: unknown, words: readonly string[]): string {
  if (error instanceof UsageError) return `${error.message}\n${adviceFor(words)}`;
  if (error instanceof FileMistakes || error instanceof CommandFailure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Where to read on: the page of the command that was named, or the list of them. */
function adviceFor([command = "", action = ""]: readonly string[]): string {
  if (!Object.hasOwn(COMMANDS, command)) return "sandbank --help lists the commands.";
  const named = ["contracts", "receiver"].includes(command) && /^\w/.test(action) ? ` ${action}` : "";
  return `sandbank ${command}${named} --help tells what it takes.`;
}
