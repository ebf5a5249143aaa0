import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { delimiter, join, resolve } from "node:path";
import { tmpdir } from "node:os";

/** What bash proposes where these words have been typed, the last of them not to its end. */
function proposals(...words: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const command = join(folder, "sandbank");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${resolve("src/cli/main.ts")}" "$@"\n`);
  chmodSync(command, 0o755);
  const script = `source <(sandbank completion bash)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    eval "$(complete -p sandbank | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter) };
  const args = ["--noprofile", "--norc", "-c", script, "bash", "sandbank", ...words];
  return execFileSync("bash", args, { encoding: "utf8", env }).trim().split("\n");
}

test("bash completes commands, their flags and what a flag can be", { timeout: 60_000 }, () => {
  expect(proposals("se")).toEqual(["serve", "secret"]);
  expect(proposals("serve", "--lo")).toEqual(["--log-level", "--log-format"]);
  expect(proposals("run", "--reporter", "")).toEqual([
    "pretty",
    "json",
    "junit",
    "tap",
    "github",
    "markdown",
    "html",
  ]);
  expect(proposals("receiver", "c")).toEqual(["check"]);
  expect(proposals("serve", "--log-level", "")).toEqual(["silent", "error", "warn", "info", "debug"]);
  expect(proposals("serve", "--assume", "refund.d")).toEqual(["refund.delay="]);
});
