import { print } from "./standard-streams.ts";
import { controlClient } from "../server/control/client.js";
import { command } from "./command.ts";
import { localUrl, targetFlags } from "./flags.ts";
import { abortedAfter } from "../base/wall.ts";
import { CommandFailure } from "../base/failures.ts";

const TIMEOUT_MS = 3_000;

const flags = targetFlags;

/** `sandbank health`: exit 0 if a sandbox answers, otherwise 1. The health check of the image. */
export const healthCommand = command(
  flags,
  async ({ url: written = localUrl(), target: url = written }, wall) => {
    const client = controlClient({ url });
    const health = (signal: AbortSignal) => client.ask("GET /sandbox/health", {}, { signal });
    const { status } = await abortedAfter(health, { ms: TIMEOUT_MS, wall }).catch((error: Error) => {
      throw new CommandFailure(error.message);
    });
    if (status !== "ok")
      throw new CommandFailure(`Failed to use ${url}: it is not a healthy sandbank. Correct the address.`);
    print(`${url} is healthy\n`);
  },
);
