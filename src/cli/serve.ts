import type { CommandModule } from "yargs";
import type { Configuration } from "./configuration/configuration.ts";
import type { Log } from "../server/log.ts";
import type { Sandbox } from "../sandbox.ts";
import type { SandboxOptions } from "../sandbox-options.ts";
import { CommandFailure, FileMistakes, UsageError } from "./usage-error.ts";
import { createLog } from "./log.ts";
import { createSandbox } from "../sandbox.ts";
import { OptionMistake } from "../sandbox-options.ts";
import { FixtureMistake } from "../worlds/fixture-files.ts";
import { readConfiguration } from "./configuration/configuration.ts";
import { settingFlags } from "./configuration/flags.ts";

/** `sandbank serve`: the sandbox on a port. */
export const serveCommand: CommandModule<object, object> = {
  command: "serve",
  describe: "Start the sandbox",
  builder: (yargs) => yargs.options(settingFlags()),
  handler: (flags) => serve(readConfiguration({ flags: { ...flags }, environment: process.env })),
};

async function serve(configuration: Configuration): Promise<void> {
  const port = configuration.port.value ?? 0;
  const host = configuration.host.value ?? "";
  const log = createLog(configuration["log-level"].value ?? "info");
  const opening = openSandbox(configuration, log);
  closeOnSignal(opening, log);
  const sandbox = await opening;
  try {
    const { url } = await sandbox.listen({ port, host });
    process.stdout.write(`sandbank listening on ${url}\n`);
  } catch (error) {
    await sandbox.close();
    throw listenFailure(error as NodeJS.ErrnoException, { port, host });
  }
}

/**
 * SIGTERM and SIGINT end the process with 0 once the requests in hand are answered, from before it says that it
 * listens. One that is repeated changes nothing: at a terminal npm and the shell both send Ctrl-C.
 */
function closeOnSignal(opening: Promise<Sandbox>, log: Log): void {
  let isClosing = false;
  async function close(signal: string): Promise<void> {
    if (isClosing) return;
    isClosing = true;
    log.debug({ signal }, `${signal}: finishing the requests in hand.`);
    const sandbox = await opening.catch(() => undefined);
    // Why it did not open is told where it is awaited.
    if (sandbox === undefined) return;
    await sandbox.close();
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void close(signal));
}

async function openSandbox(configuration: Configuration, log: Log): Promise<Sandbox> {
  try {
    return await createSandbox({ ...sandboxOptions(configuration), log });
  } catch (error) {
    if (error instanceof Error && error.name === "StorageMistake") throw new FileMistakes(error.message);
    if (error instanceof Error && error.name === "StateFileMistakes") throw new FileMistakes(error.message);
    if (error instanceof Error && error.name === "OpeningMistake") throw new FileMistakes(error.message);
    if (error instanceof Error && error.name === "OpeningFailure") throw new CommandFailure(error.message);
    if (error instanceof Error && error.name === "StorageFailure") throw new CommandFailure(error.message);
    if (error instanceof OptionMistake || error instanceof FixtureMistake)
      throw new UsageError(error.message);
    throw error;
  }
}

function sandboxOptions(configuration: Configuration): SandboxOptions {
  const { start, frozen, seed, fixtures, scenario, data, assume } = configuration;
  const options = {
    mode: frozen.value ? "frozen" : "running",
    start: start.value,
    seed: seed.value,
    fixtures: fixtures.value,
    scenario: scenario.value,
    states: configuration.states.value,
    worldIdle: configuration["world-idle"].value,
    data: data.value,
    assumptions: assume.value,
    webhookUrl: configuration["webhook-url"].value,
    egressAllow: configuration["egress-allow"].value,
    adminToken: configuration["admin-token"].value,
  };
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as SandboxOptions;
}

function listenFailure(error: NodeJS.ErrnoException, { port, host }: { port: number; host: string }): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port ${port} is in use. Stop what uses it, or choose another with --port.`,
    EACCES: `the port ${port} is not yours to use. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Choose another with --host.`,
    ENOTFOUND: `the host ${host} is not known. Choose another with --host.`,
  };
  return new CommandFailure(
    `Failed to listen on ${host}:${port}: ${reasons[error.code ?? ""] ?? error.message}`,
  );
}
