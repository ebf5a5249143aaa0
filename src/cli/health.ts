import { controlClient } from "../control/client.js";
import { command } from "./command.ts";
import { localUrl, url } from "./flags.ts";
import { CommandFailure } from "../process/failures.ts";

const TIMEOUT_MS = 3_000;

const flags = { url: url("URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010]") };

/** `sandbank health`: exit 0 if a sandbox answers, 1 if none does. The health check of the image. */
export const healthCommand = command(flags, async ({ url = localUrl() }) => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await controlClient({ url })
    .ask("GET /sandbox/health", {}, { signal })
    .catch((error: Error) => {
      throw new CommandFailure(error.message);
    });
  process.stdout.write(`${url} is healthy\n`);
});
