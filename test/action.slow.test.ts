import { afterAll, beforeAll, expect, test } from "vitest";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { freePort } from "./free-port.ts";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { tmpdir } from "node:os";

interface Step {
  readonly id: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(readFileSync("action.yml", "utf8")) as Action;

/** Runs the steps as a runner does: each in a shell, with the inputs in its variables. */
function runner(folder: string, given: Readonly<Record<string, string>>) {
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
    ...given,
  };
  const [output, env] = [join(folder, "output"), join(folder, "env")];
  for (const file of [output, env]) writeFileSync(file, "");
  return {
    run: (id: string) => {
      const step = action.runs.steps.find((one) => one.id === id);
      const filled = Object.entries(step?.env ?? {}).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, input: string) => inputs[input] ?? ""),
      ]);
      // The Node of the tests, as actions/setup-node would put it there.
      const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
      return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 9"], {
        encoding: "utf8",
        env: {
          ...process.env,
          ...Object.fromEntries(filled),
          PATH: path,
          RUNNER_TEMP: folder,
          GITHUB_OUTPUT: output,
          GITHUB_ENV: env,
        },
      });
    },
    output: () => readFileSync(output, "utf8"),
    env: () => readFileSync(env, "utf8"),
  };
}

let folder: string;
let packed: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbank-action-"));
  const [made] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
      encoding: "utf8",
      stdio: "pipe",
    }),
  ) as { readonly filename: string }[];
  packed = join(folder, made?.filename ?? "");
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  "the action installs the package, starts it, waits for its health and gives its URL",
  { timeout: 300_000 },
  async () => {
    const port = String(await freePort());
    const steps = runner(folder, { package: packed, port, args: "--frozen --seed 7" });
    const installed = steps.run("install");
    expect(installed).toMatchObject({ status: 0 });
    const started = steps.run("start");
    const pid = Number(readFileSync(join(folder, "sandbank", "sandbank.pid"), "utf8"));
    try {
      expect(started).toMatchObject({ status: 0, stdout: "" });
      const url = `http://127.0.0.1:${port}`;
      expect(steps.output()).toBe(`url=${url}\n`);
      expect(steps.env()).toBe(`SANDBANK_URL=${url}\n`);
      expect(await (await fetch(`${url}/sandbox/clock`)).json()).toMatchObject({ mode: "frozen" });
      expect(action.outputs["url"]?.value).toBe("${{ steps.start.outputs.url }}");
      const again = steps.run("start");
      expect(again.status).toBe(1);
      expect(again.stdout).toContain("Failed to start sandbank");
    } finally {
      process.kill(pid);
    }
  },
);
