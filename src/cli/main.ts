#!/usr/bin/env node
import yargs from "yargs";
import { assumptionsCommand } from "./assumptions.ts";
import { configCommand } from "./config.ts";
import { contractsCommand } from "./contracts.ts";
import { openApiCommand } from "./openapi.ts";
import { runCommand } from "./run.ts";
import { schemaCommand } from "./schema.ts";
import { secretCommand } from "./secret.ts";
import { serveCommand } from "./serve.ts";
import { CommandFailure, FileMistakes, UsageError } from "./usage-error.ts";

/** Exit codes: 1 something did not work out, 2 the command or a file is wrong. */
const EXIT_FAILED = 1;
const EXIT_WRONG_USE = 2;

// A reader that has seen enough, such as `head`, is no mistake.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : EXIT_FAILED);
});

const cli = yargs(process.argv.slice(2))
  .scriptName("sandbank")
  .usage("$0 <command>\n\nA sandbox of a banking, subscription and order platform, on your own machine.")
  .command(serveCommand)
  .command(runCommand)
  .command(configCommand)
  .command(contractsCommand)
  .command(assumptionsCommand)
  .command(openApiCommand)
  .command(schemaCommand)
  .command(secretCommand)
  .demandCommand(1, "Name a command: sandbank serve starts the sandbox.")
  .strict()
  .recommendCommands()
  .completion("completion", "Print a script that completes commands in your shell")
  .help()
  .wrap(Math.min(110, process.stdout.columns ?? 110))
  .fail((message, error) => {
    // What yargs itself finds wrong, and what reading a flag finds wrong, is the user's to mend.
    throw error === undefined || error.name === "YError" ? new UsageError(message ?? error.message) : error;
  });

try {
  await cli.parseAsync();
} catch (error) {
  const isWrongUse = error instanceof UsageError || error instanceof FileMistakes;
  process.exitCode = isWrongUse ? EXIT_WRONG_USE : EXIT_FAILED;
  process.stderr.write(`${explain(error)}\n`);
}

/** A person gets the sentence; only a bug of ours shows its stack. */
function explain(error: unknown): string {
  if (error instanceof UsageError)
    return `${error.message}\nsandbank --help lists the commands and their flags.`;
  if (error instanceof FileMistakes || error instanceof CommandFailure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
