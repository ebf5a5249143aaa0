import { note, print } from "./standard-streams.ts";
import { type ValuesOf, command } from "./command.ts";
import { number, PORTS_OR_FREE, text, toggle, url } from "./flags.ts";
import { dirname, resolve } from "node:path";
import { CommandFailure } from "../base/failures.ts";
import { keepAside, makeFolder, unwritable } from "./output.ts";
import { statSync } from "node:fs";
import { type Recording, openRecording } from "../checks/calibration/recording.ts";
import { packageVersion } from "../base/package.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  upstream: url("Base URL of the platform, for the calls of your client", { demandOption: true }),
  port: number(PORTS_OR_FREE, "Port for the calls of your client; 0 takes a free one", { default: "4020" }),
  "webhooks-to": url(
    "URL of your webhook receiver, for the webhooks of the platform; without a path, each webhook keeps its path",
  ),
  "webhook-port": number(PORTS_OR_FREE, "Port for the webhooks of the platform; 0 takes a free one", {
    default: "4021",
  }),
  out: text("Write the traffic to this HAR file", { demandOption: true }),
  redact: toggle("Replace tokens, secrets, card numbers and personal data by stand-ins of the same form", {
    default: true,
  }),
  secret: text("Webhook secret, to note if the signatures fit [default: SANDBANK_WEBHOOK_SECRET]"),
};

type RecordFlags = ValuesOf<typeof flags>;

/**
 * `sandbank record`: a proxy in both directions that writes a HAR file. It records until the process receives a signal
 * to end. The file is complete at any time.
 */
export const recordCommand = command(flags, async (flags, wall) => {
  const { upstream, port, out, redact, secret = secretVariable("SANDBANK_WEBHOOK_SECRET") } = flags;
  const { "webhooks-to": webhooksTo, "webhook-port": webhookPort } = flags;
  let recording: Recording;
  try {
    await makeFolder(resolve(dirname(out)));
    if ((statSync(out, { throwIfNoEntry: false })?.size ?? 0) > 0) keepAside(out);
    recording = await openRecording({
      wall,
      upstream,
      port,
      webhooksTo,
      webhookPort,
      out,
      isRedacted: redact,
      secrets: secret === undefined ? [] : [secret],
      version: packageVersion(),
      onWriteFailure: (error) => {
        note(`Failed to write ${out}: ${error.message}. Traffic still goes through.\n`);
      },
    });
  } catch (error) {
    throw openFailure(error as NodeJS.ErrnoException, flags);
  }
  const webhooks = recording.webhookUrl === undefined ? "" : `, webhooks on ${recording.webhookUrl}`;
  print(`sandbank recording on ${recording.url}${webhooks}\n`);
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve());
  });
  await ended;
  await recording.close();
  const { count } = recording;
  note(`${count} ${count === 1 ? "entry" : "entries"} in ${out}\n`);
});

function openFailure(
  { code, message, syscall, port }: NodeJS.ErrnoException & { port?: number },
  flags: RecordFlags,
): Error {
  if (syscall !== "listen")
    return unwritable(flags.out, { name: "Error", message, ...(code !== undefined && { code }) });
  const flag = port === flags["webhook-port"] && port !== flags.port ? "--webhook-port" : "--port";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port ${port} is in use`,
    EACCES: `you may not use the port ${port}`,
  };
  return new CommandFailure(
    `Failed to record: ${reasons[code ?? ""] ?? message}. Choose another port with ${flag}; 0 takes a free one.`,
  );
}
