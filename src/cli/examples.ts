/** What to type, and what it is for, by command. */
const examples: Readonly<Record<string, readonly (readonly [words: string, what: string])[]>> = {
  serve: [
    ["sandbank serve --frozen --start 2026-11-20T09:00:00-03:00", "with a clock that you move"],
    [
      "sandbank serve --webhook-url http://127.0.0.1:4011/webhooks",
      "with a receiver of yours for every webhook",
    ],
    ["sandbank serve --data sandbank.json --assume refund.delay=PT1M", "for longer, and otherwise"],
    ["SANDBANK_SEED=7 sandbank serve", "each flag has a variable, and a line in sandbank.config.yaml"],
  ],
  run: [
    ["sandbank run scenarios", "all files of a folder, in this process"],
    ["sandbank run gym.yaml --watch", "again after every change"],
    ["sandbank run gym.yaml --target http://127.0.0.1:4010", "against a sandbox that is running"],
    ["sandbank run scenarios --reporter junit --out build/scenarios.xml", "in CI"],
  ],
  config: [["sandbank config --seed 7", "what serve would go by with this flag"]],
  health: [
    ["sandbank health --url http://127.0.0.1:4010", "exit code 0 where it is well, 1 where it is not"],
  ],
  contracts: [
    ["sandbank contracts verify pacts", "the consumer pacts of a folder, against the sandbox"],
    ["sandbank contracts states", "what pacts may name as given"],
    ["sandbank contracts generate scenarios --out pacts", "what the sandbox does, as pacts"],
    [
      "sandbank contracts verify-receiver http://127.0.0.1:4011/webhooks --secret acme-webhook-secret",
      "a receiver, against pacts of the webhooks",
    ],
    [
      "sandbank contracts publish pacts --broker https://broker.example --version 1.0.0",
      "consumer pacts, to a Pact Broker",
    ],
  ],
  receiver: [
    ["sandbank receiver check http://127.0.0.1:4011/webhooks", "all checks, with the secret of the fixtures"],
    ["sandbank receiver check http://127.0.0.1:4011/webhooks --only I2", "one of them"],
  ],
  assumptions: [["sandbank assumptions --json", "with the reasons, and what each can be set to"]],
  openapi: [["sandbank openapi --out openapi.json", "for a generator of clients"]],
  schema: [
    ["sandbank schema scenario --out scenario.schema.json", "for an editor that completes scenario files"],
  ],
  secret: [
    ["sandbank secret print", "of the first company of the sandbox on this machine"],
    ["sandbank secret rotate --company globex", "a new one, at once"],
  ],
};

/** What `--help` shows under the flags of a command. A command stands on a line of its own, to be copied whole. */
export function examplesText(command: string): string {
  const lines = (examples[command] ?? []).map(([words, what]) => `  ${words}\n      ${what}`);
  return ["Examples:", ...lines].join("\n");
}
