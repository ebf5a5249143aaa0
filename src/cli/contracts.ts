import type { CommandModule } from "yargs";
import type { GenerateFlags } from "./contracts-generate.ts";
import type { PublishFlags } from "./contracts-publish.ts";
import type { StatesFlags } from "./contracts-states.ts";
import type { VerifyFlags } from "./contracts-verify.ts";
import type { VerifyReceiverFlags } from "./contracts-verify-receiver.ts";
import { EXIT_CODES } from "./contracts-outcome.ts";
import { SEED_BOUNDS } from "../library/setting-types.ts";
import { wholeNumber } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

const statesCommand: CommandModule<object, StatesFlags> = {
  command: "states",
  describe: "List the provider states that pacts may name, with their params",
  builder: {
    states: { type: "string", array: true, describe: "Files or folders of your own provider states" },
    json: { type: "boolean", default: false, describe: "As JSON, with the schemas of the params" },
  },
  handler: async (flags) => {
    const { listStates } = await import("./contracts-states.ts");
    await listStates(flags);
  },
};

const verifyCommand: CommandModule<object, VerifyFlags> = {
  command: "verify [pacts..]",
  describe: `Verify consumer pacts against the sandbox; ${EXIT_CODES}`,
  builder: (yargs) =>
    yargs
      .positional("pacts", {
        type: "string",
        array: true,
        describe: "Pact files, folders of them, or addresses",
      })
      .option("broker", { type: "string", describe: "Read the pacts from this Pact Broker" })
      .option("broker-token", { type: "string", describe: "Its token (or PACT_BROKER_TOKEN)" })
      .option("consumer", {
        type: "string",
        array: true,
        describe: "At the broker: only the pacts of this consumer (repeatable)",
      })
      .option("consumer-branch", { type: "string", describe: "At the broker: only the pacts of this branch" })
      .option("provider", {
        type: "string",
        default: "banking-service",
        describe: "The provider of the pacts; others are refused",
      })
      .option("provider-base-url", {
        type: "string",
        describe: "Also verify the platform at this URL, and compare",
      })
      .option("token", { type: "string", describe: "Send this token instead of those in the pacts" })
      .option("states", {
        type: "string",
        array: true,
        describe: "Files or folders of your own provider states",
      })
      .option("start", {
        type: "string",
        default: "2026-11-23T09:00:00-03:00",
        describe: "Start of the clock",
      })
      .option("seed", {
        type: "string",
        describe: "Seed of ids and chance",
        coerce: wholeNumber("--seed", SEED_BOUNDS),
      })
      .option("assume", {
        type: "string",
        array: true,
        describe: "Set an assumption: id=value (repeatable)",
      })
      .option("reporter", {
        choices: ["text", "json", "junit"] as const,
        default: "text" as const,
        describe: "Format of the report",
      })
      .option("out", { type: "string", describe: "File to write the report to" })
      .option("publish-results", {
        type: "boolean",
        default: false,
        describe: "Publish the results to the broker, as results of the sandbox",
      })
      .option("provider-version", {
        type: "string",
        describe: "Version of those results, prefixed with sandbox- (default: the version of this package)",
      }),
  handler: async (flags) => {
    const { verifyContracts } = await import("./contracts-verify.ts");
    await verifyContracts(flags);
  },
};

const generateCommand: CommandModule<object, GenerateFlags> = {
  command: "generate [scenarios..]",
  describe: "Run scenarios and write them as Pact files (default: the scenarios of the package)",
  builder: (yargs) =>
    yargs
      .positional("scenarios", {
        type: "string",
        array: true,
        describe: "Scenario files, or folders of them",
      })
      .option("out", {
        type: "string",
        default: "pacts",
        describe: "Folder to write the pacts to",
        coerce: (folder: string) => {
          if (folder === "") throw new UsageError('--out must name a folder; found "".');
          return folder;
        },
      })
      .option("consumer", {
        type: "string",
        default: "partner",
        describe: "The consumer's name in the pacts",
      })
      .option("start", {
        type: "string",
        default: "2026-11-23T09:00:00-03:00",
        describe: "Start of the clock",
      }),
  handler: async (flags) => {
    const { generateContracts } = await import("./contracts-generate.ts");
    await generateContracts(flags);
  },
};

const publishCommand: CommandModule<object, PublishFlags> = {
  command: "publish [dir]",
  describe: "Publish consumer contracts to a Pact Broker, through its official client",
  builder: (yargs) =>
    yargs
      .version(false)
      .positional("dir", { type: "string", default: "pacts", describe: "A folder of pacts, or a pact file" })
      .option("broker", { type: "string", demandOption: true, describe: "The Pact Broker" })
      .option("token", { type: "string", describe: "Its token (or PACT_BROKER_TOKEN)" })
      .option("version", {
        type: "string",
        demandOption: true,
        describe: "The consumer's version, such as a commit",
      })
      .option("branch", { type: "string", describe: "The consumer's branch" })
      .option("timeout", {
        type: "string",
        default: "60",
        describe: "Time limit, in seconds",
        coerce: wholeNumber("--timeout", { min: 1, max: 3_600 }),
      }),
  handler: async (flags) => {
    const { publishContracts } = await import("./contracts-publish.ts");
    await publishContracts(flags);
  },
};

const verifyReceiverCommand: CommandModule<object, VerifyReceiverFlags> = {
  command: "verify-receiver <url> [pacts..]",
  describe: `Verify a webhook receiver against pacts of the deliveries; ${EXIT_CODES}`,
  builder: (yargs) =>
    yargs
      .positional("url", { type: "string", demandOption: true, describe: "URL of the receiver" })
      .positional("pacts", {
        type: "string",
        array: true,
        describe: "Pacts of deliveries (default: those of the scenarios of the package)",
      })
      .option("secret", {
        type: "string",
        describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
      })
      .option("reporter", {
        choices: ["text", "json", "junit"] as const,
        default: "text" as const,
        describe: "Format of the report",
      })
      .option("out", { type: "string", describe: "File to write the report to" }),
  handler: async (flags) => {
    const { verifyReceiverContracts } = await import("./contracts-verify-receiver.ts");
    await verifyReceiverContracts(flags);
  },
};

/** `sandbank contracts`: Pact, in both directions. */
export const contractsCommand: CommandModule = {
  command: "contracts",
  describe: "Verify, generate and publish contracts (Pact)",
  builder: (yargs) =>
    yargs
      .command(statesCommand)
      .command(generateCommand)
      .command(verifyCommand)
      .command(verifyReceiverCommand)
      .command(publishCommand)
      .demandCommand(1, "Name a command, such as contracts verify."),
  handler: () => {},
};
