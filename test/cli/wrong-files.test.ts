import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { join } from "node:path";
import { createSandbox } from "../../src/library/sandbox.ts";
import { openProxy } from "../../src/base/proxy.ts";
import { sandbank } from "./command.ts";
import { tmpdir } from "node:os";

const GOOD = "name: Nothing happens\nsteps: []\n";

function folderWith(files: Record<string, string | Uint8Array>) {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return {
    at: (name: string) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test("a missing file, one that is no text and one with a mistake are reported together", async () => {
  using folder = folderWith({
    "latin.yaml": Uint8Array.from([...Buffer.from("name: caf"), 0xe9]),
    "wrong.yaml": "name: n\nsteps:\n  - advance: 5 days\n",
  });
  const { code, out, err } = await sandbank(
    "run",
    folder.at("none.yaml"),
    folder.at("latin.yaml"),
    folder.at("wrong.yaml"),
  );
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("none.yaml: there is no such file.");
  expect(err).toContain("latin.yaml:1:10: The file is not UTF-8");
  expect(err).toContain("wrong.yaml:3:14: `advance` must be ");
});

test("a state that two files define is reported at the second", async () => {
  using folder = folderWith({ "a.yaml": "state: s\nsteps: []\n", "b.yaml": "state: s\nsteps: []\n" });
  const { code, err } = await sandbank("run", folder.at("."));
  expect(code).toBe(2);
  expect(err).toContain(`b.yaml:1:8: The state \`s\` is already defined at ${folder.at("a.yaml")}:1:8.`);
  const twice = await sandbank("run", folder.at("a.yaml"), folder.at("./a.yaml"));
  expect(twice.code).toBe(0);
});

test("a target that is no URL, where nothing listens or that is no sandbank is refused before the first scenario", async () => {
  using folder = folderWith({ "good.yaml": GOOD });
  const wrong = await sandbank("run", folder.at("good.yaml"), "--target", "localhost");
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("--target must be an absolute http or https URL");
  const unreachable = await sandbank("run", folder.at("good.yaml"), "--target", "http://127.0.0.1:9");
  expect(unreachable).toMatchObject({ code: 2, out: "" });
  expect(unreachable.err).toContain("Failed to reach http://127.0.0.1:9");
  await using other = await openProxy({
    answer: async (_, __, response) => void response.end("{}"),
    onError: () => {},
  });
  const commands = [
    ["run", folder.at("good.yaml")],
    ["trigger", "order-payin.paid"],
    ["trigger", "order-payin.paid", "--to", other.url],
    ["tail"],
    ["certify"],
  ];
  for (const args of commands) {
    const stranger = await sandbank(...args, "--target", other.url);
    expect(stranger).toMatchObject({ code: 2, out: "" });
    expect(stranger.err).toContain("it answered with 200, which no sandbank does.");
  }
  expect((await sandbank("health", "--target", other.url)).code).toBe(1);
});

test("a receiver that is not there is refused before the first scenario; one that is there gets no request", async () => {
  using folder = folderWith({ "good.yaml": GOOD });
  const missing = await sandbank("run", folder.at("good.yaml"), "--receiver", "http://127.0.0.1:9/webhooks");
  expect(missing).toMatchObject({ code: 2, out: "" });
  expect(missing.err).toContain(
    "Failed to reach the receiver http://127.0.0.1:9/webhooks: 127.0.0.1:9 refuses connections (ECONNREFUSED). Start it, or correct --receiver.",
  );
  let requests = 0;
  await using receiver = await openProxy({
    answer: async (_, __, response) => {
      requests += 1;
      response.end();
    },
    onError: () => {},
  });
  const there = await sandbank("run", folder.at("good.yaml"), "--receiver", receiver.url);
  expect(there).toMatchObject({ code: 0, err: "" });
  expect(requests).toBe(0);
});

test("--seed random draws a seed and prints it", async () => {
  using folder = folderWith({ "good.yaml": GOOD });
  const { code, err } = await sandbank("run", folder.at("good.yaml"), "--seed", "random");
  expect(code).toBe(0);
  expect(err).toMatch(/^Seed (\d+)\. Repeat with --seed \1\.\n$/);
  const wrong = await sandbank("run", folder.at("good.yaml"), "--seed", "any");
  expect(wrong).toMatchObject({ code: 2 });
});

test("the admin token of a guarded target comes from SANDBANK_ADMIN_TOKEN", async () => {
  using folder = folderWith({ "good.yaml": GOOD });
  await using sandbox = await createSandbox({ adminToken: "sesame" });
  const { url } = await sandbox.listen();
  const without = await sandbank("run", folder.at("good.yaml"), "--target", url);
  expect(without.code).toBe(2);
  expect(without.err).toContain("Set it in SANDBANK_ADMIN_TOKEN.");
  const env = { SANDBANK_ADMIN_TOKEN: "sesame" };
  expect(await sandbank({ env }, "run", folder.at("good.yaml"), "--target", url)).toMatchObject({ code: 0 });
});

test("control characters of a name do not reach the terminal", async () => {
  using folder = folderWith({ "a.yaml": 'name: "red \\u001b[31m\\nand more"\nsteps: []\n' });
  expect((await sandbank("run", folder.at("a.yaml"))).out).toContain("✓ red \\u001b[31m and more ");
  const tap = await sandbank("run", folder.at("a.yaml"), "--reporter", "tap");
  expect(tap.out).toContain("ok 1 - red \\\\u001b[31m and more\n");
});

test("assumptions that contradict one another are a mistake of the file", async () => {
  using folder = folderWith({
    "late.yaml": `name: n\nassumptions: { charge.window-min-days: 20 }\nsteps: []\n`,
  });
  const { code, err } = await sandbank("run", folder.at("late.yaml"));
  expect(code).toBe(2);
  expect(err).toContain(
    "late.yaml:2:14: The assumption charge.window-min-days is 20, which is after charge.window-max-days, 10.",
  );
});

test("a refused act is reported in one sentence", async () => {
  const act = "  - act: account.activate\n    on: 11111111-1111-4111-8111-111111111111\n";
  using folder = folderWith({ "again.yaml": `name: n\nsteps:\n${act}` });
  const { code, out } = await sandbank("run", folder.at("again.yaml"));
  expect(code).toBe(1);
  expect(out.match(/The act account\.activate is not possible/g)).toHaveLength(1);
});
