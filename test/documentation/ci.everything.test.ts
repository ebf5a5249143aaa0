import { expect, onTestFinished, test } from "vitest";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { blocksOf } from "./page.ts";
import { freePort } from "../free-port.ts";
import { parse } from "yaml";
import { sandbank } from "../cli/command.ts";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

interface Job {
  readonly script?: readonly string[];
  readonly steps?: readonly { readonly id?: string; readonly run?: string }[];
}

const jobs = blocksOf("docs/ci.md")
  .filter(({ language }) => language === "yaml")
  .map(({ text, line }) => ({
    line,
    content: parse(text) as Job & { integration?: Job; jobs?: Record<string, Job> },
  }));

/** Makes a fresh checkout with a scenario and a pact, where npm and npx are small programs for these jobs. */
async function openCheckout(ports: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-ci-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  await sandbank("init", folder);
  await sandbank("contracts", "generate", join(folder, "scenarios"), "--out", join(folder, "pacts"));
  rmSync(join(folder, "pacts/banking-service-webhooks-partner-receiver.json"));
  rmSync(join(folder, "sandbank.config.yaml"));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const receiver = `PORT=${ports["8080"]} exec node ${resolve("examples/receiver.mjs")}`;
  const programs = {
    npx: `[ "$1" = sandbank ] || exit 9\nshift\nexec node ${resolve("src/cli/main.ts")} "$@"`,
    npm: `case "$*" in ci|test) ;; "run start:receiver") ${receiver} ;; *) exit 9 ;; esac`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { folder, path: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter) };
}

const scripts = jobs.flatMap(({ line, content }) => {
  const script = content.integration?.script ?? content.script;
  return script === undefined ? [] : [{ line, script }];
});

test.each(scripts)(
  "the GitLab job at line $line runs in a fresh checkout",
  { timeout: 240_000 },
  async ({ script }) => {
    const ports = { "4010": String(await freePort()), "8080": String(await freePort()) };
    const { folder, path } = await openCheckout(ports);
    const lines = script.map((line) => line.replaceAll(/4010|8080/g, (port) => ports[port as "4010"]));
    // What a job starts ends with it.
    const text = ["trap 'kill $(jobs -p)' EXIT", ...lines].join("\n");
    const { status, stdout, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", text], {
      cwd: folder,
      encoding: "utf8",
      timeout: 200_000,
      env: { ...process.env, PATH: path, SANDBANK_PORT: ports["4010"] },
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
    expect(existsSync(join(folder, "build"))).toBe(true);
  },
);

test("a step that a job of GitHub names has its id", () => {
  const named = jobs.flatMap(({ content }) =>
    Array.from(JSON.stringify(content).matchAll(/steps\.([\w-]+)\./g), ([, id]) => id),
  );
  const steps = jobs.flatMap(({ content }) =>
    Object.values(content.jobs ?? {}).flatMap((job) => job.steps ?? []),
  );
  expect(named).not.toEqual([]);
  expect(steps.map(({ id }) => id)).toEqual(expect.arrayContaining(named));
});
