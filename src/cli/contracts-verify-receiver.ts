import { note } from "./standard-streams.ts";
import type { Wall } from "../base/wall.ts";
import { command } from "./command.ts";
import { secretFlag, text, texts } from "./flags.ts";
import { type PactFile, readPacts } from "../contracts/verification/pact-file.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { generated } from "./contracts-generate.ts";
import {
  contractsReport,
  verificationFormats,
  verificationReports,
} from "../contracts/verification/report.ts";
import { join } from "node:path";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { separateReceivers } from "./contracts-verify.ts";
import { tmpdir } from "node:os";
import { loadFixtures } from "../server/access/fixture-files.ts";
import { verifyReceiver } from "../contracts/verification/receiver-verification.ts";
import { mustBeHttpUrl } from "../server/settings/setting-types.ts";
import { DEFAULT_START } from "../scenarios/scenario.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  reporter: reporterFlag(verificationFormats),
  url: text("URL of the receiver", { isArgument: true, demandOption: true }),
  pacts: texts("Pacts of deliveries [default: pacts of the package's scenarios]", { isArgument: true }),
  secret: secretFlag,
  out: text("Write the report to this file"),
};

const REQUEST_TIMEOUT_MS = 30_000;

/** Verifies a receiver against the named pacts of deliveries, or against pacts of the package's scenarios. */
export const verifyReceiverCommand = command(flags, async (flags, wall) => {
  const { url, pacts: named = [] } = flags;
  mustBeHttpUrl("URL", url);
  await requireReports(flags);
  const secret =
    flags.secret ??
    secretVariable("SANDBANK_WEBHOOK_SECRET") ??
    loadFixtures().companies[0]?.webhook.secret ??
    "";
  const folder = await mkdtemp(join(tmpdir(), "sandbank-pacts-"));
  try {
    const pacts = named.length > 0 ? await receiverPacts(named) : await shippedPacts(folder, wall);
    const report = {
      pacts: await verifyReceiver({ url, secret, pacts, timeoutMs: REQUEST_TIMEOUT_MS }),
    };
    await writeReports(flags, ({ format, isColoured }) => verificationReports[format](report, isColoured));
    endBy(contractsReport(report));
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Returns the pacts of deliveries in a folder of generated pacts. All pacts if no pact has that consumer. */
async function receiverPacts(paths: readonly string[]): Promise<PactFile[]> {
  const { receivers, others } = separateReceivers(readPacts(paths, note));
  return receivers.length > 0 ? receivers : others;
}

async function shippedPacts(folder: string, wall: Wall): Promise<PactFile[]> {
  const { pacts } = await generated({ consumer: "partner", start: DEFAULT_START, wall });
  const receiver = pacts.filter(({ provider }) => provider.endsWith("-receiver"));
  for (const { name, text } of receiver) await writeFile(join(folder, name), text);
  return readPacts([folder], note);
}
