import { note, print } from "./standard-streams.ts";
import { brokerAddress } from "./broker-address.ts";
import { command } from "./command.ts";
import { number, text } from "./flags.ts";
import { CommandFailure, FileMistakes } from "../base/failures.ts";
import { createRequire } from "node:module";
import { plainPact, readPacts } from "../contracts/verification/pact-file.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { text as readAll } from "node:stream/consumers";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { missingProgram, verifierEnvironment } from "../contracts/verification/run-verifier.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  dir: text("A folder of pacts, or a pact file", { isArgument: true, default: "pacts" }),
  broker: text("URL of the Pact Broker", { demandOption: true }),
  token: text("Token of the broker [default: PACT_BROKER_TOKEN]"),
  version: text("Version of the consumer, such as a commit", { demandOption: true }),
  branch: text("Branch of the consumer"),
  timeout: number([1, 3_600], "Time limit, in seconds", { default: "60" }),
};

/** By default the official client retries for minutes. */
const RETRIES = 1;

/**
 * Publishes pacts to a broker through the official client, under the given version and branch. Exit code 1 if the
 * broker refuses them, 2 if it cannot be reached.
 */
export const publishCommand = command(flags, async (flags) => {
  const { dir, version, branch, timeout } = flags;
  const {
    url: broker,
    username = secretVariable("PACT_BROKER_USERNAME"),
    password = secretVariable("PACT_BROKER_PASSWORD"),
  } = brokerAddress(flags.broker);
  const pacts = readPacts([dir], note);
  const folder = await mkdtemp(join(tmpdir(), "sandbank-publish-"));
  const token = flags.token ?? secretVariable("PACT_BROKER_TOKEN");
  const child = spawn(
    process.execPath,
    [
      officialClient(),
      "publish",
      ...pacts.map(({ file }) => plainPact(file, folder)),
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
        // Every user of the machine can read a secret on a command line. The client takes an empty variable for a secret.
        PACT_BROKER_TOKEN: token,
        PACT_BROKER_USERNAME: username,
        PACT_BROKER_PASSWORD: password,
      },
    },
  );
  const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
  await rm(folder, { recursive: true });
  const output = plain([out, err].join("\n"));
  if (child.exitCode === 0) {
    for (const { consumer, provider } of pacts)
      print(`published ${consumer} → ${provider}, version ${version}${branch ? `, branch ${branch}` : ""}\n`);
    return;
  }
  if (child.signalCode !== null)
    throw new FileMistakes(
      `Failed to publish to ${broker}: the client did not finish within ${timeout} s. Raise --timeout.`,
    );
  const missing = missingProgram(output);
  if (missing !== undefined) throw new FileMistakes(`Failed to publish: ${missing}`);
  if (/error sending request|Failed to access/.test(output))
    throw new FileMistakes(
      `Failed to reach ${broker}: no server answers there. Check the address.\n${output}`,
    );
  throw new CommandFailure(`Failed to publish to ${broker}: the client reports:\n${output}`);
});

/** Finds the script of the official client. */
function officialClient(): string {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("@pact-foundation/pact-cli/package.json")), "bin", "pact-broker.js");
  } catch {
    throw new FileMistakes(
      "Failed to publish: @pact-foundation/pact-cli is not installed. Install it next to sandbank.",
    );
  }
}

/** Returns the last lines, without colours and empty lines. */
function plain(output: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character begins every colour
  const uncoloured = output.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return uncoloured
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-20)
    .join("\n");
}
