import type { Argv } from "yargs";
import { type FlagsOf, command } from "./command.ts";
import { capabilitiesFlag } from "../tools/certification/capabilities.ts";
import { FileMistakes } from "../process/failures.ts";
import { openQuestions, receiverFormats, receiverReports, verdictOf } from "../tools/receiver/report.ts";
import { receiverReport } from "../tools/receiver/receiver-check.ts";
import { partnerFlags, withPartner } from "./partner-flags.ts";
import { reporterFlag, requireReports, writeReports } from "./reports.ts";
import { seedOrRandom, wholeNumber } from "./flags.ts";

const flags = (yargs: Argv) =>
  partnerFlags(reporterFlag(receiverFormats)(yargs))
    .positional("url", { type: "string", demandOption: true, describe: "URL of the receiver" })
    .option("secret", {
      type: "string",
      describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
    })
    .option("level", {
      choices: ["must", "should"] as const,
      default: "must" as const,
      describe: "The lowest level whose failures count",
    })
    .option("only", {
      type: "string",
      array: true,
      describe: "Run only this check, such as I2 (repeatable)",
    })
    .option("seed", {
      type: "string",
      default: "random",
      describe: "Seed of the ids of the events; random draws and prints one",
      coerce: seedOrRandom,
    })
    .option("out", { type: "string", describe: "File to write the report to" })
    .option("budget", {
      type: "string",
      default: "500",
      describe: "Maximum number of requests",
      coerce: wholeNumber("--budget", { min: 1, max: 100_000 }),
    })
    .option("rate", {
      type: "string",
      describe: "Maximum number of requests per second",
      coerce: wholeNumber("--rate", { min: 1, max: 1_000 }),
    })
    .option("timeout", {
      type: "string",
      default: "10000",
      describe: "Time limit of one answer, in milliseconds",
      coerce: wholeNumber("--timeout", { min: 100, max: 120_000 }),
    })
    .option("time", {
      type: "string",
      default: "60",
      describe: "Time limit of the check's own work, in seconds; waiting for the receiver is not counted",
      coerce: wholeNumber("--time", { min: 1, max: 86_400 }),
    })
    .option("next-secret", {
      type: "string",
      describe: "The secret after a rotation, which the receiver already accepts",
    })
    .option("retired-secret", {
      type: "string",
      describe: "A secret from before a rotation, which the receiver must reject",
    })
    .option("sandbox-port", {
      type: "string",
      describe: "Open a sandbox on this port for the receiver to call, and observe its calls",
      coerce: wholeNumber("--sandbox-port", { min: 1, max: 65_535 }),
    })
    .option("probe", {
      type: "string",
      describe: "URL where the receiver returns its state as JSON, in any form: it is compared",
    })
    .option("ignore", {
      type: "string",
      array: true,
      describe: "Leave this path of the probe out, such as '$.log' (JSONPath, repeatable)",
    })
    .option("capabilities", capabilitiesFlag)
    .option("allow-inconclusive", {
      type: "boolean",
      default: false,
      describe: "Accept required checks that could not be decided",
    })
    .option("settle", {
      type: "string",
      default: "200",
      describe: "How long its work may continue after an answer, in milliseconds",
      coerce: wholeNumber("--settle", { min: 0, max: 60_000 }),
    });

type CheckFlags = FlagsOf<typeof flags>;

export const checkCommand = command(flags, checkReceiver);

/** Checks a receiver; exit codes: 0 passed, 1 failed, 2 not run or not decided. */
async function checkReceiver(flags: CheckFlags): Promise<void> {
  await requireReports(flags);
  const report = await withPartner(flags, (process) => receiverReport({ ...flags, process }));
  const verdict = verdictOf(report);
  await writeReports(flags, ({ format }) => receiverReports[format](report));
  if (verdict === "failed") process.exitCode = 1;
  if (verdict === "not-judged") throw new FileMistakes(openQuestions(report));
}
