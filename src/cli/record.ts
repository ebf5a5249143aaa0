import type { CommandModule } from "yargs";
import { httpUrl, wholeNumber } from "./flags.ts";

export interface RecordFlags {
  readonly upstream: string;
  readonly port?: number | undefined;
  readonly "webhooks-to"?: string | undefined;
  readonly "webhook-port"?: number | undefined;
  readonly out: string;
  readonly redact: boolean;
  readonly secret?: string | undefined;
}

const PORT = { min: 0, max: 65_535 };

/** `sandbank record`: a proxy in both directions that writes a HAR file. */
export const recordCommand: CommandModule<object, RecordFlags> = {
  command: "record",
  describe: "Record the traffic with a platform as a HAR file, for sandbank calibrate",
  builder: (yargs) =>
    yargs
      .option("upstream", {
        type: "string",
        demandOption: true,
        describe: "Base URL of the platform, to which calls are passed on",
        coerce: (written: string) => httpUrl("--upstream")(written) ?? "",
      })
      .option("port", {
        type: "string",
        default: "4020",
        describe: "Port for the calls of your client; 0 takes a free one",
        coerce: wholeNumber("--port", PORT),
      })
      .option("webhooks-to", {
        type: "string",
        describe:
          "Your receiver, to which webhooks are passed on; without a path that of the webhook is kept",
        coerce: httpUrl("--webhooks-to"),
      })
      .option("webhook-port", {
        type: "string",
        default: "4021",
        describe: "Port for the webhooks of the platform; 0 takes a free one",
        coerce: wholeNumber("--webhook-port", PORT),
      })
      .option("out", { type: "string", demandOption: true, describe: "HAR file to write" })
      .option("redact", {
        type: "boolean",
        default: true,
        describe: "Replace tokens, secrets, card numbers and personal data by stand-ins of the same form",
      })
      .option("secret", {
        type: "string",
        describe: "The webhook secret, to note whether signatures fit (or SANDBANK_WEBHOOK_SECRET)",
      }),
  handler: async (flags) => {
    const { record } = await import("./record-session.ts");
    await record(flags);
  },
};
