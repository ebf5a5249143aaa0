import type { PactFile } from "../pact/verification/pact-file.ts";
import type { verificationReports as Reports } from "../pact/verification/report.ts";
import { FileMistakes } from "./usage-error.ts";
import { generated } from "./contracts-generate.ts";
import { isKept, verificationReports } from "../pact/verification/report.ts";
import { join } from "node:path";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { parted, readPactFiles } from "./contracts-verify.ts";
import { tmpdir } from "node:os";
import { VerifierFailure } from "../pact/verification/run-verifier.ts";
import { verifyReceiver } from "../pact/receiver-pact/verify-receiver.ts";
import { writeOutput } from "./output.ts";
import { mustBeHttpUrl } from "./http-url.ts";

export interface VerifyReceiverFlags {
  readonly url: string;
  readonly pacts?: string[] | undefined;
  readonly secret?: string | undefined;
  readonly reporter: keyof typeof Reports;
  readonly out?: string | undefined;
}

const REQUEST_TIMEOUT_MS = 30_000;
const START = "2026-11-23T09:00:00-03:00";

/** Verifies a receiver against pacts of deliveries: those named, or those of the scenarios that ship. */
export async function verifyReceiverContracts(flags: VerifyReceiverFlags): Promise<void> {
  const { url, pacts: named = [] } = flags;
  mustBeHttpUrl("URL", url);
  const secret = flags.secret ?? process.env["SANDBANK_WEBHOOK_SECRET"] ?? "acme-webhook-secret";
  const folder = await mkdtemp(join(tmpdir(), "sandbank-pacts-"));
  try {
    const pacts = named.length > 0 ? receiverPacts(named) : await shippedPacts(folder);
    const report = { pacts: await verifyReceiver({ url, secret, pacts, timeoutMs: REQUEST_TIMEOUT_MS }) };
    await writeOutput(verificationReports[flags.reporter](report), flags.out);
    if (!isKept(report)) process.exitCode = 1;
  } catch (error) {
    if (error instanceof VerifierFailure) throw new FileMistakes(error.message);
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Of a folder of generated pacts those of the deliveries; pacts that have other names are taken as they are. */
function receiverPacts(paths: readonly string[]): PactFile[] {
  const [receivers, others] = parted(readPactFiles(paths));
  return receivers.length > 0 ? receivers : others;
}

async function shippedPacts(folder: string): Promise<PactFile[]> {
  const { pacts } = await generated({ consumer: "partner", start: START });
  const receiver = pacts.filter(({ provider }) => provider.endsWith("-receiver"));
  for (const { name, text } of receiver) await writeFile(join(folder, name), text);
  return readPactFiles([folder]);
}
