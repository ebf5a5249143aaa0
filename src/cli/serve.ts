import type { CommandModule } from "yargs";
import type { SandboxOptions } from "../sandbox.ts";
import { CommandFailure, FileMistakes, UsageError } from "./usage-error.ts";
import { createSandbox, OptionMistake } from "../sandbox.ts";
import { FixtureMistake } from "../fixtures/load-fixtures.ts";
import { pairs } from "./pairs.ts";
import { SEED_BOUNDS, wholeNumber } from "./whole-number.ts";

interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly start?: string;
  readonly frozen: boolean;
  readonly seed?: number;
  readonly fixtures?: string;
  readonly scenario?: string;
  readonly "webhook-url"?: string;
  readonly data?: string;
  readonly assume?: readonly string[];
  readonly "egress-allow"?: readonly string[];
}

/** `sandbank serve`: the sandbox on a port. */
export const serveCommand: CommandModule<object, ServeFlags> = {
  command: "serve",
  describe: "Start the sandbox",
  builder: {
    port: {
      type: "string",
      default: "4010",
      describe: "Port to listen on; 0 takes a free one",
      coerce: wholeNumber("--port", { min: 0, max: 65_535 }),
    },
    host: { type: "string", default: "127.0.0.1", describe: "Address to listen on" },
    start: { type: "string", describe: "Where the clock starts, such as 2026-11-20T09:00:00-03:00" },
    frozen: { type: "boolean", default: false, describe: "Let time move only when it is told to" },
    seed: {
      type: "string",
      describe: "What ids and chance are drawn from",
      coerce: wholeNumber("--seed", SEED_BOUNDS),
    },
    fixtures: { type: "string", describe: "Folder of fixtures to start from" },
    scenario: { type: "string", describe: "Scenario file that happens before the sandbox listens" },
    "webhook-url": { type: "string", describe: "Send every webhook of every company there" },
    data: { type: "string", describe: "File that keeps every world from one start to the next" },
    "egress-allow": {
      type: "string",
      array: true,
      describe: "Address or CIDR range that webhook.egress=hosted allows all the same (repeatable)",
    },
    assume: { type: "string", array: true, describe: "Decide an assumption: id=value (repeatable)" },
  },
  handler: serve,
};

async function serve(flags: ServeFlags): Promise<void> {
  const { port, host } = flags;
  const sandbox = await openSandbox(flags);
  try {
    const { url } = await sandbox.listen({ port, host });
    process.stdout.write(`sandbank listening on ${url}\n`);
  } catch (error) {
    await sandbox.close();
    throw listenFailure(error as NodeJS.ErrnoException, { port, host });
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      void sandbox.close().then(() => process.exit(0));
    });
  }
}

async function openSandbox(flags: ServeFlags) {
  const { start, frozen, seed, fixtures, scenario, data, assume = [] } = flags;
  const webhookUrl = flags["webhook-url"];
  const egressAllow = flags["egress-allow"];
  const options: SandboxOptions = {
    mode: frozen ? "frozen" : "running",
    assumptions: pairs("--assume", assume),
    ...(seed !== undefined && { seed }),
    ...(start !== undefined && { start }),
    ...(fixtures !== undefined && { fixtures }),
    ...(scenario !== undefined && { scenario }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(data !== undefined && { data }),
    ...(egressAllow !== undefined && { egressAllow }),
  };
  try {
    return await createSandbox(options);
  } catch (error) {
    if (error instanceof Error && error.name === "DataMistake") throw new FileMistakes(error.message);
    if (error instanceof Error && error.name === "OpeningMistake") throw new FileMistakes(error.message);
    if (error instanceof Error && error.name === "OpeningFailure") throw new CommandFailure(error.message);
    if (error instanceof Error && error.name === "DiskFailure") throw new CommandFailure(error.message);
    if (error instanceof OptionMistake || error instanceof FixtureMistake)
      throw new UsageError(error.message);
    throw error;
  }
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
