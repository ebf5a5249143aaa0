import { expect, test } from "vitest";
import { sandbank } from "./command.ts";

test.each([
  [[], "Name a command: sandbank serve starts the sandbox.", "sandbank --help lists the commands."],
  [["sevre"], 'There is no command "sevre". Did you mean serve?', "sandbank --help lists the commands."],
  [["nothing"], 'There is no command "nothing".', "sandbank --help lists the commands."],
  [
    ["contracts", "verfy"],
    'There is no command "verfy". Did you mean verify?',
    "sandbank contracts verfy --help tells what it takes.",
  ],
  [
    ["serve", "--prot", "1"],
    "There is no flag --prot. Did you mean --port?",
    "sandbank serve --help tells what it takes.",
  ],
  [["serve", "extra"], 'There is no use for "extra" here.', "sandbank serve --help tells what it takes."],
  [["serve", "--port"], "--port wants a value, and has none.", "sandbank serve --help tells what it takes."],
  [
    ["run"],
    "run requires scenario files or folders. Name one: sandbank run scenarios/",
    "sandbank run --help tells what it takes.",
  ],
  [
    ["run", "--reporter", "x", "a.yaml"],
    '--reporter must be one of pretty, json, junit, tap; found "x".',
    "sandbank run --help tells what it takes.",
  ],
  [
    ["secret", "show"],
    '<action> must be one of print, rotate; found "show".',
    "sandbank secret --help tells what it takes.",
  ],
  [
    ["run", "--update=maybe", "a.yaml"],
    '--update must be true or false; found "maybe".',
    "sandbank run --help tells what it takes.",
  ],
  [
    ["contracts", "states", "--json=1"],
    '--json must be true or false; found "1".',
    "sandbank contracts states --help tells what it takes.",
  ],
  [["secret"], "<action> is missing.", "sandbank secret --help tells what it takes."],
  [["receiver", "check"], "<url> is missing.", "sandbank receiver check --help tells what it takes."],
  [
    ["contracts", "publish"],
    "--broker and --version are missing.",
    "sandbank contracts publish --help tells what it takes.",
  ],
  [
    ["completion", "fish"],
    "Failed to complete in fish: there is a script for bash and zsh.",
    "sandbank --help lists the commands.",
  ],
])("the words %j are answered with a sentence and exit code 2", async (words, sentence, advice) => {
  const { code, out, err } = await sandbank(...words);
  expect({ code, out, err: err.trim().split("\n") }).toEqual({ code: 2, out: "", err: [sentence, advice] });
});

test.each(["--frozen=maybe", "--frozen=1x"])("a switch is no switch for %s", async (flag) => {
  const { code, err } = await sandbank("serve", flag);
  expect(code).toBe(2);
  expect(err).toContain("--frozen must be true or false; found");
});

test("a switch by itself is a yes, and one with no- before it a no", async () => {
  expect((await sandbank("config", "--frozen", "--seed", "3")).out).toMatch(/^frozen +true +--frozen$/m);
  expect((await sandbank("config", "--no-frozen")).out).toMatch(/^frozen +false +--frozen$/m);
});

test("data that is a folder is refused", async () => {
  const { code, err } = await sandbank("serve", "--data", "test");
  expect(code).toBe(2);
  expect(err).toMatch(/^Failed to read \S+test: it is no file\. Name one\.\n$/);
});
