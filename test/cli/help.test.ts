import { expect, test } from "vitest";
import { sandbank } from "./command.ts";

const { out: help } = await sandbank("--help");
const commands = Array.from(help.matchAll(/^ {2}sandbank (\w+)/gm), ([, name = ""]) => name);

test("the help names every command, where settings come from, and the exit codes", () => {
  expect(commands).toEqual(
    expect.arrayContaining(["serve", "run", "config", "contracts", "receiver", "secret"]),
  );
  expect(help).toContain("SANDBANK_ variables");
  expect(help).toContain("Exit codes: 0");
});

test.each(commands.filter((name) => name !== "completion"))(
  "the help of %s has examples, with flags that it has",
  { timeout: 30_000 },
  async (command) => {
    const { out } = await sandbank(command, "--help");
    const [flags = "", text = ""] = out.split("Examples:\n");
    const named = Array.from(flags.matchAll(/^ +(--[\w-]+)/gm), ([, flag]) => flag);
    const examples = text.split("\n").filter((line) => /^ {2}\S/.test(line));
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      expect(example).toContain(`sandbank ${command}`);
      const [, action] = new RegExp(`sandbank ${command} ((?:verify|check) )`).exec(example) ?? [];
      if (action !== undefined) continue;
      expect(named).toEqual(expect.arrayContaining(example.match(/--[\w-]+/g) ?? []));
    }
  },
);
