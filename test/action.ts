import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";

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

/** The action for workflows of GitHub, as its file describes it. */
export const action = parse(readFileSync("action.yml", "utf8")) as Action;

interface Given {
  /** The folder of the package that the workflow names. */
  readonly checkout: string;
  /** The folder of the job, whose project has the package. */
  readonly workspace: string;
  /** The Node that the job has set up. */
  readonly node?: string;
}

/** Runs its steps as a runner does: each in a shell in the workspace, with the inputs in its variables. */
export function actionRunner(
  folder: string,
  { checkout, workspace, node = process.execPath, ...given }: Readonly<Record<string, string>> & Given,
) {
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
    ...given,
  };
  const [output, env, paths] = ["output", "env", "path"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const file of [output, env, paths]) writeFileSync(file, "");
  return {
    run: (id: string) => {
      const step = action.runs.steps.find((one) => one.id === id);
      const filled = Object.entries(step?.env ?? {}).map(([name, value]) => [
        name,
        value
          .replaceAll("${{ github.action_path }}", checkout)
          .replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, input: string) => inputs[input] ?? ""),
      ]);
      const added = readFileSync(paths, "utf8").split("\n").filter(Boolean);
      const path = [...added, dirname(node), process.env["PATH"]].join(delimiter);
      const kept = readFileSync(env, "utf8").split("\n").filter(Boolean);
      return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 9"], {
        encoding: "utf8",
        cwd: workspace,
        env: {
          ...process.env,
          ...Object.fromEntries(kept.map((line) => line.split("=", 2))),
          ...Object.fromEntries(filled),
          PATH: path,
          RUNNER_TEMP: folder,
          GITHUB_OUTPUT: output,
          GITHUB_ENV: env,
          GITHUB_PATH: paths,
          GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
        },
      });
    },
    output: () => readFileSync(output, "utf8"),
    env: () => readFileSync(env, "utf8"),
  };
}
