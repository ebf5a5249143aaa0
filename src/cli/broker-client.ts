import { brokerAddress } from "./broker-address.ts";
import { CommandFailure, FileMistakes } from "../base/failures.ts";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { missingProgram, verifierEnvironment } from "../contracts/verification/run-verifier.ts";
import { number, text } from "./flags.ts";
import { once } from "node:events";
import { secretVariable } from "../server/settings/secret-variable.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { abortedAfter, type Wall } from "../base/wall.ts";
import { text as readAll } from "node:stream/consumers";

/** The seconds that a broker may take. */
export const BROKER_SECONDS = 40;

/** The flags of each command that asks a broker through its official client. */
export const brokerFlags = {
  // Its user and password go to the client, and are never printed.
  broker: text("URL of the Pact Broker", { demandOption: true }),
  token: text("Token of the broker [default: PACT_BROKER_TOKEN]"),
  timeout: number([1, 3_600], "Time limit, in seconds", { default: String(BROKER_SECONDS) }),
};

/** By default the official client retries for minutes. */
const RETRIES = 1;

interface BrokerCall {
  readonly broker: string;
  readonly token: string | undefined;
  readonly timeout: number;
  /** The purpose, for messages: *Failed to publish to …*. */
  readonly purpose: string;
  readonly wall: Wall;
}

/**
 * Runs the official client of the broker. Returns its output, and whether it succeeded. Throws a FileMistakes if the
 * broker cannot be reached or takes too long, so that the exit code is 2.
 */
export async function askBroker(
  words: readonly string[],
  { broker: written, token, timeout, purpose, wall }: BrokerCall,
): Promise<{ readonly hasSucceeded: boolean; readonly output: string; readonly broker: string }> {
  const {
    url: broker,
    username = secretVariable("PACT_BROKER_USERNAME"),
    password = secretVariable("PACT_BROKER_PASSWORD"),
  } = brokerAddress(written);
  const child = spawn(
    process.execPath,
    [officialClient(purpose), ...words, `--broker-base-url=${broker}`, `--retries=${RETRIES}`],
    {
      stdio: ["ignore", "pipe", "pipe"],
      // The client starts a program, which must end with it.
      detached: true,
      env: {
        ...verifierEnvironment(process.env, true),
        // Every user of the machine can read a secret on a command line. The client takes an empty variable for a secret.
        PACT_BROKER_TOKEN: token ?? secretVariable("PACT_BROKER_TOKEN"),
        PACT_BROKER_USERNAME: username,
        PACT_BROKER_PASSWORD: password,
      },
    },
  );
  let isLate = false;
  using _ = wall.deadline(timeout * 1000, () => {
    isLate = true;
    endGroup(child);
  });
  const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
  const output = plain([out, err].join("\n"));
  if (child.exitCode === 0) return { hasSucceeded: true, output, broker };
  if (isLate)
    throw new FileMistakes(
      `Failed to ${purpose} ${broker}: the client did not finish within ${timeout} s. Raise --timeout.`,
    );
  const missing = missingProgram(output);
  if (missing !== undefined) throw new FileMistakes(`Failed to ${purpose} ${broker}: ${missing}`);
  if (/error sending request|Failed to access/.test(output))
    throw new FileMistakes(
      `Failed to reach ${broker}: no server answers there. Check the address.\n${output}`,
    );
  return { hasSucceeded: false, output, broker };
}

/** Throws a FileMistakes if a broker accepts a connection and does not answer: the verifier would wait for it. */
export async function requireAnswer(
  broker: string,
  { wall, ms }: { readonly wall: Wall; readonly ms: number },
): Promise<void> {
  let isLate = false;
  const asked = abortedAfter(
    (signal) => {
      signal.addEventListener("abort", () => (isLate = true));
      return fetch(broker, { signal });
    },
    { ms, wall },
  );
  // The verifier reports every other failure in its own words.
  await asked.then(({ body }) => body?.cancel()).catch(() => undefined);
  if (isLate)
    throw new FileMistakes(
      `Failed to reach ${broker}: it did not answer within ${ms / 1000} s. Check the address, and what is between.`,
    );
}

/** Ends a process and all processes that it started. */
function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Windows has no process groups.
    child.kill("SIGKILL");
  }
}

/** Finds the script of the official client. */
function officialClient(purpose: string): string {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("@pact-foundation/pact-cli/package.json")), "bin", "pact-broker.js");
  } catch {
    throw new CommandFailure(
      `Failed to ${purpose} the broker: @pact-foundation/pact-cli is not installed. Install it next to sandbank.`,
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
