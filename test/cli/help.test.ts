import { expect, test } from "vitest";
import { sandbank } from "./command.ts";

const { out: page } = await sandbank("--help");
const commands = Array.from(page.matchAll(/^ {2}sandbank ([\w-]+)/gm), ([, name = ""]) => name);

test("the help names every command, where settings come from, and the exit codes", () => {
  expect(commands).toEqual(
    expect.arrayContaining(["serve", "run", "config", "contracts", "receiver", "secret"]),
  );
  expect(page).toContain("SANDBANK_ variables");
  expect(page).toContain("Exit codes: 0");
});

test.each(commands.filter((name) => name !== "completion"))(
  "the help of %s has examples, with flags that it has",
  async (command) => {
    const { out } = await sandbank(command, "--help");
    const [, text = ""] = out.split("Examples:\n");
    const examples = text.split("\n").filter((line) => /^ {2}\S/.test(line));
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      const [, action] = new RegExp(`sandbank ${command}(?: ([a-z-]+))?`).exec(example) ?? [];
      const actions =
        ["contracts", "receiver", "fixtures", "examples"].includes(command) && action !== undefined
          ? [action]
          : [];
      const help = await sandbank(command, ...actions, "--help");
      const named = Array.from(help.out.matchAll(/^ +(--[\w-]+)/gm), ([, flag]) => flag);
      expect(named).toEqual(expect.arrayContaining(example.match(/--[\w-]+/g) ?? []));
    }
  },
);

test("there is a script for each shell, named or by the environment", async () => {
  const bash = await sandbank({ env: { SHELL: "/bin/zsh" } }, "completion", "bash");
  expect(bash.out).toContain("complete -o bashdefault");
  expect((await sandbank("completion", "zsh")).out).toMatch(/^#compdef sandbank/);
  expect((await sandbank({ env: { SHELL: "/bin/zsh" } }, "completion")).out).toMatch(/^#compdef sandbank/);
});
