import type { ListedCommand } from "./command.ts";

const contracts: readonly ListedCommand[] = [
  {
    words: "states",
    describe: "List the provider states that pacts may name, with their parameters",
    load: async () => (await import("./contracts-states.ts")).statesCommand,
  },
  {
    words: "generate [scenarios..]",
    describe: "Run scenarios and write them as Pact files [default: the scenarios of the package]",
    load: async () => (await import("./contracts-generate.ts")).generateCommand,
  },
  {
    words: "verify [pacts..]",
    describe: "Verify consumer pacts against the sandbox",
    load: async () => (await import("./contracts-verify.ts")).verifyCommand,
  },
  {
    words: "verify-receiver <url> [pacts..]",
    describe: "Verify a webhook receiver against pacts of the deliveries",
    load: async () => (await import("./contracts-verify-receiver.ts")).verifyReceiverCommand,
  },
  {
    words: "publish [dir]",
    describe: "Publish consumer contracts to a Pact Broker, through its official client",
    load: async () => (await import("./contracts-publish.ts")).publishCommand,
  },
  {
    words: "can-i-deploy",
    describe: "Ask a Pact Broker if a version can be deployed, through its official client",
    load: async () => (await import("./contracts-deploy.ts")).canIDeployCommand,
  },
  {
    words: "record-deployment",
    describe: "Record a deployment at a Pact Broker, through its official client",
    load: async () => (await import("./contracts-deploy.ts")).recordDeploymentCommand,
  },
];

const receiver: readonly ListedCommand[] = [
  {
    words: "check <url>",
    describe: "Check a webhook receiver",
    load: async () => (await import("./receiver-check.ts")).checkCommand,
  },
];

const fixtures: readonly ListedCommand[] = [
  {
    words: "check <folder>",
    describe: "Check a folder of your own companies, accounts, keys and payers",
    load: async () => (await import("./fixtures-check.ts")).checkFixturesCommand,
  },
];

const examples: readonly ListedCommand[] = [
  {
    words: "copy <name>",
    describe: "Print a file of the examples, such as compose",
    load: async () => (await import("./examples-copy.ts")).copyExampleCommand,
  },
];

/** The commands, in the order of the help page. The file of each has its flags and its work. */
export const commands: readonly ListedCommand[] = [
  {
    words: "serve",
    describe: "Start the sandbox",
    load: async () => (await import("./serve.ts")).serveCommand,
  },
  {
    words: "explore [files..]",
    describe: "Try every order and failure of webhooks and calls",
    load: async () => (await import("./explore.ts")).exploreCommand,
  },
  {
    words: "doubt",
    describe: "Run your tests once for every alternative behaviour of the platform",
    load: async () => (await import("./doubt.ts")).doubtCommand,
  },
  {
    words: "run [files..]",
    describe: "Run scenario files",
    load: async () => (await import("./run.ts")).runCommand,
  },
  {
    words: "init [folder]",
    describe: "Write a configuration, a first scenario and a first test; existing files stay unchanged",
    load: async () => (await import("./init.ts")).initCommand,
  },
  {
    words: "tail",
    describe: "Follow the calls, changes and webhooks of a running sandbox",
    load: async () => (await import("./tail.ts")).tailCommand,
  },
  {
    words: "listen",
    describe: "Receive the webhooks of a sandbox elsewhere at an endpoint of this machine",
    load: async () => (await import("./listen.ts")).listenCommand,
  },
  {
    words: "trigger [event]",
    describe: "Send one real, signed webhook",
    load: async () => (await import("./trigger.ts")).triggerCommand,
  },
  {
    words: "config",
    describe: "Print the value and the source of every setting",
    load: async () => (await import("./config.ts")).configCommand,
  },
  {
    words: "health",
    describe: "Check the health of a running sandbox",
    load: async () => (await import("./health.ts")).healthCommand,
  },
  {
    words: "with-clock",
    describe: "Run a command with the clock of a world, and exit with its exit code",
    load: async (typed) => (await import("./with-clock.ts")).withClockCommand(typed),
  },
  {
    words: "contracts",
    describe: "Verify, generate and publish contracts (Pact)",
    commands: contracts,
    advice: "Name a command, such as contracts verify.",
  },
  {
    words: "receiver",
    describe: "Check a webhook receiver",
    commands: receiver,
    advice: "Name a command: receiver check URL.",
  },
  {
    words: "fixtures",
    describe: "Check your own companies, accounts, keys and payers",
    commands: fixtures,
    advice: "Name a command: fixtures check FOLDER.",
  },
  {
    words: "examples",
    describe: "Print files of the examples, without a clone",
    commands: examples,
    advice: "Name a command: examples copy NAME.",
  },
  {
    words: "calibrate [files..]",
    describe: "Compare recorded traffic of the platform with the assumptions",
    load: async () => (await import("./calibrate.ts")).calibrateCommand,
  },
  {
    words: "check-traffic [files..]",
    describe: "Find mistakes of your system in recorded traffic, without a simulation",
    load: async () => (await import("./check-traffic.ts")).checkTrafficCommand,
  },
  {
    words: "certify",
    describe: "Prove an integration in one report: checks, explorations, contracts and calls of the client",
    load: async () => (await import("./certify.ts")).certifyCommand,
  },
  {
    words: "mcp",
    describe: "Serve the sandbox to coding agents over standard input and output (Model Context Protocol)",
    load: async () => (await import("./mcp.ts")).mcpCommand,
  },
  {
    words: "record",
    describe: "Record the traffic with a platform as a HAR file, for sandbank calibrate",
    load: async () => (await import("./record.ts")).recordCommand,
  },
  {
    words: "replay [files..]",
    describe: "Send the webhooks of recorded traffic to your receiver",
    load: async () => (await import("./replay.ts")).replayCommand,
  },
  {
    words: "assumptions",
    describe: "List the open points of the platform API and the assumptions of the sandbox",
    load: async () => (await import("./assumptions.ts")).assumptionsCommand,
  },
  {
    words: "openapi",
    describe: "Print the OpenAPI document of the platform API, or of the sandbox's own API",
    load: async () => (await import("./openapi.ts")).openApiCommand,
  },
  {
    words: "schema [name]",
    describe: "Print the JSON Schemas of the platform API and of scenario files",
    load: async () => (await import("./schema.ts")).schemaCommand,
  },
  {
    words: "secret <action>",
    describe: "Print or rotate a company's webhook secret in a running sandbox",
    load: async () => (await import("./secret.ts")).secretCommand,
  },
];
