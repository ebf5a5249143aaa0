import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { actionRunner } from "./action.ts";

/** A program in the place of the command line. It stores the arguments of `serve`. */
const PROGRAM = `
if (process.argv[2] === "serve") {
  require("node:fs").writeFileSync("words.json", JSON.stringify(process.argv.slice(3)));
  console.log("sandbank listening");
}
`;

test.each([
  ["", []],
  ["--frozen --seed 7", ["--frozen", "--seed", "7"]],
  [
    `--data "my data.json" --origin 'https://a.example'`,
    ["--data", "my data.json", "--origin", "https://a.example"],
  ],
  ["--data $HOME/$(id)", ["--data", "$HOME/$(id)"]],
])("the args %j of the action are the words of a shell", (args, words) => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "dist/cli"), { recursive: true });
  writeFileSync(join(folder, "dist/cli/main.js"), PROGRAM);
  const steps = actionRunner(folder, { checkout: folder, workspace: folder, args, port: "4999" });
  expect(steps.run("install").status).toBe(0);
  const { status, stdout, stderr } = steps.run("start");
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  const served = JSON.parse(readFileSync(join(folder, "words.json"), "utf8")) as string[];
  expect(served).toEqual(["--port", "4999", ...words]);
});
