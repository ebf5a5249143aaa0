import type { CommandModule } from "yargs";
import { localUrl } from "./local-url.ts";
import { mustBeHttpUrl } from "./http-url.ts";
import { CommandFailure } from "./usage-error.ts";

interface HealthFlags {
  readonly url?: string | undefined;
}

/** How long a server may take to say that it is well. */
const TIMEOUT_MS = 3_000;

/** `sandbank health`: exit 0 where a sandbox answers, 1 where none does. What the image's health check runs. */
export const healthCommand: CommandModule<object, HealthFlags> = {
  command: "health",
  describe: "Ask a running sandbox whether it is well",
  builder: {
    url: { type: "string", describe: "Where it listens; by SANDBANK_PORT on this machine unless given" },
  },
  handler: async ({ url = localUrl() }) => {
    mustBeHttpUrl("--url", url);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL("/sandbox/health", url), { signal }).catch((error: Error) => {
      throw new CommandFailure(
        `Failed to reach ${url}: ${causeOf(error)}. Start it with sandbank serve, or say where with --url.`,
      );
    });
    if (!response.ok)
      throw new CommandFailure(`Failed to find ${url} well: it answered ${response.status}. Read its log.`);
    process.stdout.write(`${url} is well\n`);
  },
};

function causeOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}
