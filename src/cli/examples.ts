/** Command lines with their effects, by command. */
const examples: Readonly<Record<string, readonly (readonly [words: string, what: string])[]>> = {
  serve: [
    ["sandbank serve --frozen --start 2026-11-20T09:00:00-03:00", "with a clock that you advance"],
    ["sandbank serve --webhook-url http://127.0.0.1:4011/webhooks", "with your receiver for all webhooks"],
    [
      "sandbank serve --data sandbank.json --assume refund.delay=PT1M",
      "persistent, with an overridden assumption",
    ],
    ["SANDBANK_SEED=7 sandbank serve", "with a variable; sandbank.config.yaml has a key for each flag too"],
  ],
  run: [
    ["sandbank run scenarios", "all files of a folder, in this process"],
    ["sandbank run gym.yaml --watch", "again after every change"],
    ["sandbank run gym.yaml --target http://127.0.0.1:4010", "against a running sandbox"],
    ["sandbank run scenarios --reporter junit --out build/scenarios.xml", "in CI"],
    ["sandbank run gym.yaml --har gym.har", "with its traffic in a file, for sandbank calibrate"],
  ],
  doubt: [
    [
      "sandbank doubt --test 'npm test'",
      "find the assumptions that your tests depend on, and the failures that they do not notice",
    ],
    ["sandbank doubt --test 'pytest -q' --port 4010", "tests that read the sandbox's URL from SANDBANK_URL"],
    [
      "sandbank doubt --test 'npm test' --only 'charge.*' --reporter json --out doubt.json",
      "only some mutants, with a JSON report for a later --baseline doubt.json",
    ],
  ],
  explore: [
    [
      "sandbank explore gym.yaml --receiver http://127.0.0.1:3000/webhooks --probe http://127.0.0.1:3000/members",
      "every order and failure of this scenario's webhooks, with one and two deviations",
    ],
    [
      "sandbank explore gym.yaml --receiver http://127.0.0.1:3000/webhooks --only twice,late --depth 1",
      "only two deviations, one at a time",
    ],
    [
      "sandbank explore gym.yaml --receiver http://127.0.0.1:3000/webhooks --reset http://127.0.0.1:3000/reset --save explore",
      "empty the system before each run, and save each divergence as a scenario",
    ],
  ],
  init: [["sandbank init", "in the folder of your project"]],
  "with-clock": [
    ["sandbank with-clock -- node server.js", "a program whose timers follow the default world"],
    [
      "sandbank with-clock --target http://127.0.0.1:4010 --world w3 --real 'node_modules/pg/**' -- npm start",
      "another world; a database driver keeps real time",
    ],
    ["sandbank with-clock --faketime -- python3 report.py", "the date of a program in another language"],
  ],
  tail: [
    ["sandbank tail", "the default world of the sandbox on this machine"],
    [
      "sandbank tail --target http://127.0.0.1:4010 --world w3 --json",
      "another world, a JSON object per line",
    ],
  ],
  examples: [["sandbank examples copy compose", "a file for Docker Compose"]],
  fixtures: [["sandbank fixtures check fixtures", "the folder of your companies and accounts"]],
  "check-traffic": [
    ["sandbank check-traffic monday.har tuesday.har", "several files of one host are one traffic"],
    ["sandbank check-traffic gym.har --reporter junit --out build/traffic.xml", "in CI"],
  ],
  listen: [
    [
      "sandbank listen --target https://sandbox.example.com --token acme-token --forward http://127.0.0.1:3000/webhooks",
      "the webhooks of a company, from a server that cannot reach this machine",
    ],
  ],
  trigger: [
    ["sandbank trigger --list", "the events"],
    [
      "sandbank trigger ORDER-PAYOUT.PAID --to http://127.0.0.1:3000/webhooks",
      "one webhook to your receiver",
    ],
    [
      "sandbank trigger SUBSCRIPTION.ACCEPTED --to http://127.0.0.1:3000/webhooks --set data.externalId=gym-1",
      "with a field of your own, correctly signed",
    ],
    ["sandbank trigger ORDER-PAYIN.PAID --target http://127.0.0.1:4010", "in a world of a running sandbox"],
  ],
  config: [["sandbank config --seed 7", "the settings of serve with this flag"]],
  health: [["sandbank health --target http://127.0.0.1:4010", "exit code 0 if it is healthy, 1 if not"]],
  contracts: [
    ["sandbank contracts verify pacts", "the consumer pacts of a folder, against the sandbox"],
    ["sandbank contracts states", "the provider states that pacts may name"],
    ["sandbank contracts generate scenarios --out pacts", "pacts from your scenarios"],
    [
      "sandbank contracts verify-receiver http://127.0.0.1:4011/webhooks --secret acme-webhook-secret",
      "a receiver, against pacts of the webhooks",
    ],
    [
      "sandbank contracts publish pacts --broker https://broker.example --version 1.0.0",
      "consumer pacts, to a Pact Broker",
    ],
    [
      "sandbank contracts can-i-deploy --broker https://broker.example --pacticipant shop --version 1.0.0 --to-environment production",
      "whether this version works with everything in production",
    ],
  ],
  receiver: [
    [
      "sandbank receiver check http://127.0.0.1:4011/webhooks --probe http://127.0.0.1:4011/state",
      "all checks, with the secret of the fixtures",
    ],
    ["sandbank receiver check http://127.0.0.1:4011/webhooks --only I2", "one check"],
  ],
  calibrate: [
    ["sandbank calibrate session.har", "compare one session with each assumption"],
    [
      "sandbank calibrate monday.har tuesday.har --config calibrated.yaml",
      "also write the observed values, for sandbank serve --config",
    ],
    ["sandbank calibrate session.har --reporter json --out calibration.json --fail-on contradicted", "in CI"],
  ],
  record: [
    [
      "sandbank record --upstream https://api.platform.example --webhooks-to http://127.0.0.1:3000/webhooks --out session.har",
      "your client calls http://127.0.0.1:4020, the platform sends webhooks to http://127.0.0.1:4021",
    ],
  ],
  replay: [
    [
      "sandbank replay session.har --receiver http://127.0.0.1:3000/webhooks",
      "all recorded webhooks, in their recorded order",
    ],
    [
      "sandbank replay session.har --receiver http://127.0.0.1:3000/webhooks --event 'ORDER-PAYIN.*' --order shuffled --seed 7",
      "some webhooks, in a shuffled order",
    ],
  ],
  certify: [
    [
      "sandbank certify --receiver http://127.0.0.1:3000/webhooks --probe http://127.0.0.1:3000/state --scenarios scenarios --pacts pacts --target http://127.0.0.1:4010 --out report.html",
      "all parts, as report.html and report.json",
    ],
  ],
  mcp: [
    ["sandbank mcp", "with a new sandbox; the agent gets its URL"],
    ["sandbank mcp --target http://127.0.0.1:4010", "on a running sandbox"],
  ],
  assumptions: [["sandbank assumptions --json", "with the reasons and possible values"]],
  openapi: [
    ["sandbank openapi --out openapi.json", "for a client generator"],
    [
      "sandbank openapi --sandbox --version 3.0 --out sandbox.json",
      "the sandbox's own API, for a generator without OpenAPI 3.1",
    ],
  ],
  schema: [
    ["sandbank schema scenario --out scenario.schema.json", "for an editor that completes scenario files"],
  ],
  secret: [
    ["sandbank secret print", "the secret of the first company, in the sandbox on this machine"],
    ["sandbank secret rotate --company globex", "a new secret of another company"],
  ],
};

/** Returns the examples under the flags in `--help`. Each command has its own line, so that it can be copied. */
export function examplesText(command: string): string {
  const lines = (examples[command] ?? []).map(([words, what]) => `  ${words}\n      ${what}`);
  return ["Examples:", ...lines].join("\n");
}
