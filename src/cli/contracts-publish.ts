import { note, print } from "./standard-streams.ts";
import { brokerAddress } from "./broker-address.ts";
import { askBroker, brokerFlags } from "./broker-client.ts";
import { command } from "./command.ts";
import { text } from "./flags.ts";
import { CommandFailure } from "../base/failures.ts";
import { plainPact, readPacts } from "../contracts/verification/pact-file.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const flags = {
  dir: text("A folder of pacts, or a pact file", { isArgument: true, default: "pacts" }),
  ...brokerFlags,
  version: text("Version of the consumer, such as a commit", { demandOption: true }),
  branch: text("Branch of the consumer"),
};

/**
 * Publishes pacts to a broker through the official client, under the given version and branch. Exit code 1 if the
 * broker refuses them, 2 if it cannot be reached.
 */
export const publishCommand = command(flags, async (flags, wall) => {
  const { dir, version, branch } = flags;
  // A wrong address is reported before a missing file.
  brokerAddress(flags.broker);
  const pacts = readPacts([dir], note);
  const folder = await mkdtemp(join(tmpdir(), "sandbank-publish-"));
  const words = [
    "publish",
    ...pacts.map(({ file }) => plainPact(file, folder)),
    `--consumer-app-version=${version}`,
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
  ];
  const asked = askBroker(words, { ...flags, purpose: "publish to", wall });
  await asked.catch(() => undefined);
  await rm(folder, { recursive: true });
  const { hasSucceeded, output, broker } = await asked;
  if (!hasSucceeded)
    throw new CommandFailure(`Failed to publish to ${broker}: the client reports:\n${output}`);
  for (const { consumer, provider } of pacts)
    print(`published ${consumer} → ${provider}, version ${version}${branch ? `, branch ${branch}` : ""}\n`);
});
