import { CommandFailure, FileMistakes } from "./usage-error.ts";
import { createRequire } from "node:module";
import { readPactFiles } from "./contracts-verify.ts";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { verifierEnvironment } from "../pact/verification/run-verifier.ts";
import { mustBeHttpUrl } from "./flags.ts";

export interface PublishFlags {
  readonly dir: string;
  readonly broker: string;
  readonly token?: string | undefined;
  readonly version: string;
  readonly branch?: string | undefined;
  readonly timeout?: number | undefined;
}

/** The official client goes on for minutes where it is let. */
const RETRIES = 1;

/**
 * Publishes pacts to a broker through the official client, under the version and branch that are said. Exit 1 where
 * the broker refuses them, 2 where it cannot be asked.
 */
export async function publishContracts(flags: PublishFlags): Promise<void> {
  const { dir, broker, version, branch, timeout = 60 } = flags;
  mustBeHttpUrl("--broker", broker);
  const pacts = readPactFiles([dir]);
  const token = flags.token ?? process.env["PACT_BROKER_TOKEN"];
  const child = spawn(
    process.execPath,
    [
      officialClient(),
      "publish",
      ...pacts.map(({ file }) => file),
      `--consumer-app-version=${version}`,
      ...(branch === undefined ? [] : [`--branch=${branch}`]),
      `--broker-base-url=${broker}`,
      `--retries=${RETRIES}`,
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeout * 1000,
      env: {
        ...verifierEnvironment(process.env, true),
        // A secret on a command line is for every user of the machine to read.
        ...(token !== undefined && { PACT_BROKER_TOKEN: token }),
      },
    },
  );
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const said = plain([out, err].join("\n"));
  if (child.exitCode === 0) {
    for (const { consumer, provider } of pacts)
      process.stdout.write(
        `published ${consumer} → ${provider}, version ${version}${branch ? `, branch ${branch}` : ""}\n`,
      );
    return;
  }
  if (child.signalCode !== null)
    throw new FileMistakes(`Failed to publish to ${broker}: no end came within ${timeout} s. Try --timeout.`);
  if (/error sending request|Failed to access/.test(said))
    throw new FileMistakes(`Failed to reach ${broker}: nobody answers there. Check the address.\n${said}`);
  throw new CommandFailure(`Failed to publish to ${broker}: the client says\n${said}`);
}

/** The script of the official client, wherever it is installed. */
function officialClient(): string {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("@pact-foundation/pact-cli/package.json")), "bin", "pact-broker.js");
  } catch {
    throw new CommandFailure(
      "Failed to publish: @pact-foundation/pact-cli is not installed. Install it beside sandbank.",
    );
  }
}

/** Without colours and empty lines. */
function plain(said: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character begins every colour
  const uncoloured = said.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return uncoloured
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-20)
    .join("\n");
}
