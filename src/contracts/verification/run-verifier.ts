import type { VerifierOptions } from "@pact-foundation/pact-core";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { rootCertificates } from "node:tls";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { isRecord, parsed } from "../../simulator/engine/json.ts";
import { FileMistakes } from "../../base/failures.ts";
import { plainPact } from "./pact-file.ts";

/** One difference between the consumer's expectation and the provider's answer. */
export interface Mismatch {
  /** `StatusMismatch`, `HeaderMismatch`, `BodyMismatch`, `MetadataMismatch`… */
  readonly type: string;
  /** The place in the body, as a JSON path. */
  readonly path?: string;
  readonly key?: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
  readonly mismatch?: string;
}

/** The verifier's result of one interaction. */
export interface InteractionResult {
  readonly description: string;
  readonly consumer: string;
  readonly provider: string;
  readonly providerStates: readonly string[];
  readonly pending: boolean;
  readonly result: "OK" | "Error";
  readonly mismatch?: {
    readonly type: string;
    readonly message?: string;
    readonly mismatches?: readonly Mismatch[];
  };
}

/** Time limit of the whole run. */
const TIME_MAX_MS = 600_000;

const PROCESS_FILE = fileURLToPath(new URL(`./verifier-process${extname(import.meta.url)}`, import.meta.url));

/**
 * Runs the official verifier, one job after another, and calls `onJob` after each. Rejects with `FileMistakes` if the
 * verifier cannot be loaded, or returns something other than a result.
 */
export async function runVerifier(
  jobs: readonly VerifierOptions[],
  onJob: (results: readonly InteractionResult[], index: number) => void,
): Promise<void> {
  const reachesOut = jobs.some(({ pactBrokerUrl, pactUrls = [] }) =>
    [pactBrokerUrl, ...pactUrls].some((url) => /^https?:/.test(url ?? "")),
  );
  const folder = mkdtempSync(join(tmpdir(), "sandbank-verifier-"));
  try {
    const child = fork(PROCESS_FILE, {
      silent: true,
      execArgv: [],
      env: { ...verifierEnvironment(process.env, reachesOut), ...(!reachesOut && oneCertificate(folder)) },
      timeout: TIME_MAX_MS,
    });
    // Answers may arrive after its output has ended; the end of the channel comes after the last answer.
    const ended = once(child, "disconnect");
    const output = Promise.all([text(child.stdout!), text(child.stderr!)]);
    let done = 0;
    let failure: FileMistakes | undefined;
    child.on("message", (answer: string) => {
      try {
        onJob(resultsIn(answer), done);
      } catch (error) {
        failure ??= error as FileMistakes;
      }
      done += 1;
    });
    child.on("error", () => {});
    const isFile = (url: string): boolean => !/^https?:/.test(url);
    child.send(
      jobs.map(({ pactUrls, ...job }) => ({
        ...job,
        ...(pactUrls && { pactUrls: pactUrls.map((url) => (isFile(url) ? plainPact(url, folder) : url)) }),
      })),
    );
    const [out, err] = await output;
    await ended;
    if (failure !== undefined) throw failure;
    if (done < jobs.length) {
      const output = `${out}\n${err}`;
      const missing = missingProgram(output);
      if (missing !== undefined) throw new FileMistakes(`Failed to run the Pact verifier: ${missing}`);
      const lines = withoutStacks(output).trim().split("\n").slice(-8).join("\n");
      throw new FileMistakes(
        `Failed to run the Pact verifier: it ended early. Run the command again. Its last lines are:\n${lines}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines of a stack, below the line with the reason. */
const STACK = /^[ \t]+at .*\n?|^Node\.js v.*\n?/gm;

/** Returns the output of a program without the lines of stacks. */
export function withoutStacks(output: string): string {
  return output.replaceAll(STACK, "");
}

/**
 * Returns a sentence if the output of an official program of Pact says that its file for this platform is missing.
 * Undefined if it says something else.
 */
export function missingProgram(output: string): string | undefined {
  if (!/Couldn't find (?:npm package|application binary)/.test(output)) return undefined;
  const name = /@pact-foundation\/pact-(?:core|cli)-[\w-]+/.exec(output)?.[0] ?? "its file for this platform";
  return `${name} is not installed. Install sandbank without --omit=optional.`;
}

/**
 * Returns an environment with a single certificate in place of the machine's certificates. The verifier reads all of
 * them for every request, several hundred files, and on this machine it needs none. Without any certificate it does not
 * start.
 */
function oneCertificate(folder: string): NodeJS.ProcessEnv {
  const file = join(folder, "certificate.pem");
  writeFileSync(file, rootCertificates[0] ?? "");
  return { SSL_CERT_FILE: file, SSL_CERT_DIR: join(folder, "none") };
}

/**
 * Returns the environment of the verifier's process: no telemetry, and no proxy between it and this machine. A proxy is
 * used only for a broker.
 */
export function verifierEnvironment(env: NodeJS.ProcessEnv, reachesOut: boolean): NodeJS.ProcessEnv {
  const variables = Object.entries(env).filter(
    ([name]) => reachesOut || !/^(?:https?|all|no)_proxy$/i.test(name),
  );
  const loopback = "127.0.0.1,localhost,::1";
  const noProxy = [env["NO_PROXY"] ?? env["no_proxy"], loopback].filter(Boolean).join(",");
  return {
    ...Object.fromEntries(variables),
    ...(reachesOut && { NO_PROXY: noProxy, no_proxy: noProxy }),
    PACT_DO_NOT_TRACK: "true",
    SCARF_ANALYTICS: "false",
  };
}

interface VerifierResult {
  readonly interactionResults?: readonly InteractionResult[];
  readonly errors?: readonly {
    readonly interaction: string;
    readonly mismatch?: { readonly message?: string };
  }[];
}

/** The verifier's name for a pact that it could not get or read. This is no verdict. */
const NOT_LOADED = "Failed to load pact";

function resultsIn(answer: string): readonly InteractionResult[] {
  const result = parsed(answer);
  // If an answer is not JSON, the error below quotes its beginning.
  const { interactionResults = [], errors = [] }: VerifierResult = isRecord(result) ? result : {};
  const unread = errors
    .filter(({ interaction }) => interaction === NOT_LOADED)
    .flatMap(({ mismatch }) => mismatch?.message ?? NOT_LOADED);
  if (interactionResults.length > 0 && unread.length === 0) return interactionResults;
  const words = unread.length > 0 ? unread.join("\n") : answer.slice(0, 1000);
  throw new FileMistakes(`Failed to verify: the Pact verifier says: ${words}`);
}
