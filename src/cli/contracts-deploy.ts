import { print } from "./standard-streams.ts";
import { askBroker, brokerFlags } from "./broker-client.ts";
import { command } from "./command.ts";
import { text } from "./flags.ts";
import { CommandFailure } from "../base/failures.ts";

const common = {
  ...brokerFlags,
  pacticipant: text("Name of your system at the broker", { demandOption: true }),
  version: text("Its version, such as a commit", { demandOption: true }),
};

/**
 * `contracts can-i-deploy`: asks the broker, through its official client, if each system in an environment works with
 * this version. Exit code 1 if not, 2 if the broker cannot be reached.
 */
export const canIDeployCommand = command(
  { ...common, "to-environment": text("Name of the environment", { demandOption: true }) },
  async ({ pacticipant, version, "to-environment": environment, ...rest }, wall) => {
    // The client reads the versions by their places, so names and values are separate words.
    const words = ["can-i-deploy", "--pacticipant", pacticipant, "--version", version];
    const { hasSucceeded, output } = await askBroker([...words, "--to-environment", environment], {
      ...rest,
      wall,
      purpose: "ask",
    });
    print(`${output}\n`);
    if (!hasSucceeded)
      throw new CommandFailure(
        `Version ${version} of ${pacticipant} cannot be deployed to ${environment}: see the answer of the broker.`,
      );
  },
);

/**
 * `contracts record-deployment`: tells the broker, through its official client, that a version is deployed. Exit code 1
 * if the broker refuses it, 2 if it cannot be reached.
 */
export const recordDeploymentCommand = command(
  { ...common, environment: text("Name of the environment", { demandOption: true }) },
  async ({ pacticipant, version, environment, ...rest }, wall) => {
    const words = ["record-deployment", `--pacticipant=${pacticipant}`, `--version=${version}`];
    const { hasSucceeded, output, broker } = await askBroker([...words, `--environment=${environment}`], {
      ...rest,
      wall,
      purpose: "record the deployment at",
    });
    if (!hasSucceeded)
      throw new CommandFailure(
        `Failed to record the deployment at ${broker}: the client reports:\n${output}`,
      );
    print(`recorded ${pacticipant}, version ${version}, in ${environment}\n`);
  },
);
