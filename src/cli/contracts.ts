import type { CommandModule } from "yargs";
import type { StatesFlags } from "./contracts-states.ts";
import type { VerifyFlags } from "./contracts-verify.ts";

const statesCommand: CommandModule<object, StatesFlags> = {
  command: "states",
  describe: "List the provider states that pacts may name, with their params",
  builder: {
    states: { type: "string", array: true, describe: "Files or folders of your own provider states" },
    json: { type: "boolean", default: false, describe: "As JSON, with the schemas of the params" },
  },
  handler: async (flags) => {
    const { listStates } = await import("./contracts-states.ts");
    listStates(flags);
  },
};

const verifyCommand: CommandModule<object, VerifyFlags> = {
  command: "verify [pacts..]",
  describe: "Verify consumer pacts against the sandbox; exit 0 kept, 1 not kept, 2 could not be tried",
  builder: (yargs) =>
    yargs
      .positional("pacts", {
        type: "string",
        array: true,
        describe: "Pact files, folders of them, or addresses",
      })
      .option("broker", { type: "string", describe: "Take the pacts from this Pact Broker" })
      .option("broker-token", { type: "string", describe: "Its token (or PACT_BROKER_TOKEN)" })
      .option("consumer", { type: "string", array: true, describe: "At the broker: these consumers alone" })
      .option("consumer-branch", { type: "string", describe: "At the broker: the pacts of this branch" })
      .option("provider", { type: "string", default: "banking-service", describe: "The provider's name" })
      .option("provider-base-url", {
        type: "string",
        describe: "Verify the platform there too, side by side",
      })
      .option("token", { type: "string", describe: "Send this token in place of those in the pacts" })
      .option("states", {
        type: "string",
        array: true,
        describe: "Files or folders of your own provider states",
      })
      .option("start", {
        type: "string",
        default: "2026-11-20T09:00:00-03:00",
        describe: "Where the clock stands",
      })
      .option("assume", {
        type: "string",
        array: true,
        describe: "Decide an assumption: id=value (repeatable)",
      })
      .option("reporter", {
        choices: ["text", "json", "junit"] as const,
        default: "text" as const,
        describe: "How to tell the results",
      })
      .option("out", { type: "string", describe: "File to write the report to" })
      .option("publish-results", {
        type: "boolean",
        default: false,
        describe: "Tell the broker, as results of the sandbox",
      })
      .option("provider-version", {
        type: "string",
        describe: "Version of those results; sandbox- is put before it",
      }),
  handler: async (flags) => {
    const { verifyContracts } = await import("./contracts-verify.ts");
    await verifyContracts(flags);
  },
};

/** `sandbank contracts`: Pact, in both directions. */
export const contractsCommand: CommandModule = {
  command: "contracts",
  describe: "Verify, generate and publish contracts (Pact)",
  builder: (yargs) =>
    yargs
      .command(statesCommand)
      .command(verifyCommand)
      .demandCommand(1, "Name a command: contracts verify, say."),
  handler: () => {},
};
