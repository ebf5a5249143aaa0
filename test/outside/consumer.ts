import { inject, onTestFinished } from "vitest";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { tmpdir } from "node:os";

/** The lowest Node that package.json promises, and the newest one. */
export const NODES = ["node-lowest", "node-newest"] as const;

/** Returns the file of a package that only these tests use. */
export function outside(path: string): string {
  return resolve("test/outside/node_modules", path);
}

export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

/** Runs a program and returns its exit code and its output. */
export function start(file: string, args: readonly string[], { cwd, env = {}, input }: Surroundings = {}) {
  return new Promise<Ended>((done) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: 300_000, maxBuffer: 1e9 };
    const child = execFile(file, args, options, (error, out, err) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      done({ status, out, err });
    });
    child.stdin?.end(input);
  });
}

/** Runs a program that must end with 0, and returns its output. */
export async function run(file: string, args: readonly string[], surroundings: Surroundings = {}) {
  const { status, out, err } = await start(file, args, surroundings);
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}:\n${out}${err}`);
  return out;
}

/** Makes an empty project of ES modules, which ends with the test or with the returned function. */
export function emptyProject(manifest: Readonly<Record<string, unknown>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-consumer-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", ...manifest }));
  return folder;
}

/** Removes a folder when the test ends. */
export function removedLater(folder: string): string {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Installs the packed package in a project with npm, as a user does. */
export async function installWithNpm(folder: string, ...flags: readonly string[]): Promise<void> {
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", inject("tarball"), ...quiet, ...flags], { cwd: folder });
}

/** The variables of a process whose `node` is this one. */
export function pathWith(node: string): { readonly PATH: string } {
  return { PATH: [dirname(node), process.env["PATH"]].join(delimiter) };
}
