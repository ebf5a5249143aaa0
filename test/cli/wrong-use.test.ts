import { expect, test } from "vitest";
import { sandbank } from "./command.ts";

const URL_WITH_PASSWORD = "http://me:pass-word@receiver.example/hook";

test.each([
  [[], "Name a command, such as sandbank serve, which starts the sandbox.", "See sandbank --help."],
  [["sevre"], "This command is unknown. Did you mean serve?", "See sandbank --help."],
  [["nothing"], "Unknown argument: nothing.", "See sandbank --help."],
  [
    ["contracts", "verfy"],
    "This command is unknown. Did you mean verify?",
    "See sandbank contracts verfy --help.",
  ],
  [["serve", "--prot", "1"], "Unknown argument: prot. Did you mean --port?", "See sandbank serve --help."],
  [["serve", "extra"], "Unknown argument: extra.", "See sandbank serve --help."],
  [["serve", "--port"], "Not enough arguments following: port", "See sandbank serve --help."],
  [
    ["run"],
    "run requires scenario files or folders. Name one: sandbank run scenarios/",
    "See sandbank run --help.",
  ],
  [
    ["run", "--reporter", "x", "a.yaml"],
    '--reporter must be one of pretty, json, junit, tap, github, markdown, html; found "x".',
    "See sandbank run --help.",
  ],
  [
    ["secret", "show"],
    'Invalid values:\n  Argument: action, Given: "show", Choices: "print", "rotate"',
    "See sandbank secret --help.",
  ],
  [
    ["run", "--update=maybe", "a.yaml"],
    '--update must be true or false; found "maybe".',
    "See sandbank run --help.",
  ],
  [
    ["contracts", "states", "--json=1"],
    '--json must be true or false; found "1".',
    "See sandbank contracts states --help.",
  ],
  [
    ["explore", "a.yaml", "--partner", "a", "--partner", "b", "--partner-ready", "http://127.0.0.1:9"],
    "--partner must be given once; found 2 times.",
    "See sandbank explore --help.",
  ],
  [
    ["serve", "--port=1", "--port=2"],
    "--port must be given once; found 2 times.",
    "See sandbank serve --help.",
  ],
  [
    ["run", "a.yaml", "--receiver", "http://a", "--receiver", "http://b", "--receiver", "http://c"],
    "--receiver must be given once; found 3 times.",
    "See sandbank run --help.",
  ],
  ...(["explore", "certify", "run", "receiver check http://127.0.0.1:9"] as const).flatMap(
    (command): [string[], string, string][] => {
      const advice = `See sandbank ${command.replace(" http://127.0.0.1:9", "")} --help.`;
      const words = command.split(" ");
      const ready =
        "--partner requires --partner-ready: URL of your system that answers 2xx when it accepts requests. Give both.";
      const partner =
        "requires --partner: Start your system with this command; it reads the sandbox's URL from SANDBANK_URL. Give both.";
      const either = partner.replace("--partner:", "--partner or --partner-start:");
      const up = ["--partner-ready", "http://127.0.0.1:9"];
      return [
        [[...words, "--partner", "node app.js"], ready, advice],
        [[...words, "--partner-ready", "http://127.0.0.1:9"], `--partner-ready ${either}`, advice],
        [
          [...words, "--partner-start", "a"],
          "--partner-start requires --partner-stop: Kill your system, which another program runs, with this command: docker kill shop. Give both.",
          advice,
        ],
        [
          [...words, "--partner-stop", "a"],
          "--partner-stop requires --partner-start: Start your system, which another program runs, with this command: docker start shop. Give both.",
          advice,
        ],
        [
          [...words, "--partner-start", "a", "--partner-stop", "b", "--partner", "c", ...up],
          "--partner and --partner-start exclude each other. Give one of them.",
          advice,
        ],
        [
          [...words, "--partner-start", "a", "--partner-stop", "b", "--clock", ...up],
          "--clock and --partner-start exclude each other. Give one of them.",
          advice,
        ],
        [[...words, "--clock"], `--clock ${partner}`, advice],
      ];
    },
  ),
  [
    ["doubt", "--test", "true", "--serve", "--frozen"],
    "--serve requires --port: Start a sandbox on this port for each run; your tests read its URL from SANDBANK_URL. Give both.",
    "See sandbank doubt --help.",
  ],
  [["secret"], "An argument is missing: found 0, required 1.", "See sandbank secret --help."],
  [
    ["receiver", "check"],
    "An argument is missing: found 0, required 1.",
    "See sandbank receiver check --help.",
  ],
  [
    ["contracts", "publish"],
    "Missing required arguments: broker, version",
    "See sandbank contracts publish --help.",
  ],
  [
    ["completion", "fish"],
    "Failed to complete in fish: scripts exist only for bash and zsh. Choose one of them.",
    "See sandbank --help.",
  ],
])("the arguments %j are refused with a sentence and exit code 2", async (words, sentence, advice) => {
  const { code, out, err } = await sandbank(...words);
  expect({ code, out, err: err.trim() }).toEqual({ code: 2, out: "", err: `${sentence}\n${advice}` });
});

test.each([
  [["serve", "--port", "abc"], '--port must be a whole number from 0 to 65535; found "abc".'],
  [["serve", "--port", "70000"], "--port must be a whole number"],
  [["serve", "--seed", "x"], "--seed must be a whole number"],
  [
    ["serve", "--start", "yesterday"],
    '--start must be a timestamp with its offset, such as 2026-11-20T09:00:00-03:00; found "yesterday".',
  ],
  [["serve", "--assume", "cancellation.delay"], "--assume must be id=value"],
  [["contracts", "generate", "--out", ""], '--out must name a folder; found "".'],
  [["serve", "--assume", "cancellation.dely=PT1S"], "cancellation.delay"],
  [["serve", "--fixtures", "no/such/folder"], "the folder does not exist"],
  [["serve", "--frozen=maybe"], "--frozen must be true or false; found"],
  [["serve", "--frozen=1x"], "--frozen must be true or false; found"],
])("%j is refused with exit code 2, a sentence and no stack", async (args, sentence) => {
  const finished = await sandbank(...args);
  expect(finished.code).toBe(2);
  expect(finished.err).toContain(sentence);
  expect(finished.err).not.toContain("    at ");
  expect(finished.out).toBe("");
});

test("a boolean flag without a value means true, and with the prefix no- false", async () => {
  expect((await sandbank("config", "--frozen", "--seed", "3")).out).toMatch(/^frozen +true +--frozen$/m);
  expect((await sandbank("config", "--no-frozen")).out).toMatch(/^frozen +false +--frozen$/m);
});

test("a folder is refused as --data", async () => {
  const { code, err } = await sandbank("serve", "--data", "test");
  expect(code).toBe(2);
  expect(err).toMatch(/^Failed to read \S+test: it is not a file\. Name a file\.\n$/);
});

test.each([
  ["serve", "--port", "0", "--webhook-url", URL_WITH_PASSWORD],
  ["trigger", "ORDER-PAYOUT.PAID", "--target", URL_WITH_PASSWORD],
  ["tail", "--target", URL_WITH_PASSWORD],
  ["run", "scenarios/payouts", "--target", URL_WITH_PASSWORD],
  ["receiver", "check", URL_WITH_PASSWORD],
])("%s refuses a URL with a password at once, and does not print it", async (...line) => {
  const { code, err, out } = await sandbank(...line);
  expect(code).toBe(2);
  expect(err).toContain("must be without a user and a password");
  expect(out + err).not.toContain("pass-word");
});
