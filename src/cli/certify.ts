import type { CommandModule } from "yargs";
import { EXIT_CODES } from "./contracts-outcome.ts";
import { httpUrl, seedOrRandom, wholeNumber } from "./flags.ts";

export interface CertifyFlags {
  readonly receiver?: string | undefined;
  readonly probe?: string | undefined;
  readonly ignore?: string[] | undefined;
  readonly settle?: number | undefined;
  readonly explore?: string[] | undefined;
  readonly reset?: string | undefined;
  readonly scenarios?: string | undefined;
  readonly pacts?: string | undefined;
  readonly target?: string | undefined;
  readonly world: string;
  readonly secret?: string | undefined;
  readonly seed?: number | "random" | undefined;
  readonly out: string;
}

/** `sandbank certify`: the proof of an integration, in one file. */
export const certifyCommand: CommandModule<object, CertifyFlags> = {
  command: "certify",
  describe: `Prove an integration: checks, exploration, contracts and what the client used, in one report; ${EXIT_CODES} or not judged`,
  builder: (yargs) =>
    yargs
      .option("receiver", {
        type: "string",
        describe: "URL of your webhook receiver; it is checked",
        coerce: httpUrl("--receiver"),
      })
      .option("probe", {
        type: "string",
        describe: "URL where your system returns its state as JSON",
        coerce: httpUrl("--probe"),
      })
      .option("reset", {
        type: "string",
        describe: "POST to this URL before each run of an exploration, to empty your system",
        coerce: httpUrl("--reset"),
      })
      .option("ignore", {
        type: "string",
        array: true,
        describe: "Leave this path of the probe out, such as '$.log' (JSONPath, repeatable)",
      })
      .option("settle", {
        type: "string",
        describe:
          "How long your system's work may continue after an answer, in milliseconds (default: 200, or what an explored scenario says)",
        coerce: wholeNumber("--settle", { min: 0, max: 60_000 }),
      })
      .option("explore", {
        type: "string",
        array: true,
        describe: "Explore this scenario file (repeatable)",
      })
      .option("scenarios", {
        type: "string",
        describe: "Run the scenarios of this folder with your receiver",
      })
      .option("pacts", { type: "string", describe: "Verify the consumer pacts of this folder" })
      .option("target", {
        type: "string",
        describe: "Check what your client used of this sandbank (admin token in SANDBANK_ADMIN_TOKEN)",
        coerce: httpUrl("--target"),
      })
      .option("world", { type: "string", default: "default", describe: "World of the target" })
      .option("secret", {
        type: "string",
        describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
      })
      .option("seed", {
        type: "string",
        default: "random",
        describe: "Seed of everything that is drawn; random draws and prints one",
        coerce: seedOrRandom,
      })
      .option("out", {
        type: "string",
        default: "report.html",
        describe: "The report, an HTML file; the same as JSON is next to it",
      }),
  handler: async (flags) => {
    const { certify } = await import("../tools/certification/certification.ts");
    await certify(flags);
  },
};
