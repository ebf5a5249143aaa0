import type { Argv } from "yargs";
import { command } from "./command.ts";
import { httpUrl, localUrl } from "./flags.ts";
import { CommandFailure } from "../library/failures.ts";

const TIMEOUT_MS = 3_000;

const flags = (yargs: Argv) =>
  yargs.option("url", {
    type: "string",
    describe: "URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010]",
    coerce: httpUrl("--url"),
  });

/** `sandbank health`: exit 0 if a sandbox answers, 1 if none does. The health check of the image. */
export const healthCommand = command(flags, async ({ url = localUrl() }) => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(new URL("/sandbox/health", url), { signal }).catch((error: Error) => {
    throw new CommandFailure(
      `Failed to reach ${url}: ${causeOf(error)}. Start it with sandbank serve, or pass its URL with --url.`,
    );
  });
  if (!response.ok)
    throw new CommandFailure(
      `Failed to check the health of ${url}: it answered ${response.status}. Read its log.`,
    );
  process.stdout.write(`${url} is healthy\n`);
});

function causeOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}
