import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { builtLine } from "../src/tools/scenarios/built-files.ts";
import { parseScenario } from "../src/tools/scenarios/parse.ts";
import { readSource } from "../src/tools/scenarios/source.ts";
import { scenarioContext } from "../src/tools/scenarios/context.ts";

/**
 * Builds `dist/` afresh: the library and the command line in few files, what browsers run as it is, the types, and the
 * licenses of what was put in. Packages that `package.json` lists as dependencies stay outside; those that it lists for
 * development come in, as far as they are used.
 */
const root = fileURLToPath(new URL("../", import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Every file but the entry of the library is in this folder. */
const CHUNKS = "cli";

/** Folders and files of the package that a source finds relative to itself are found relative to a chunk in the bundle. */
const ownFiles: Plugin = {
  name: "own-files",
  transform: (code, id) =>
    code.replaceAll(/new URL\("(\.\.\/[^"]*|\.\/[^"]*\/)", import\.meta\.url\)/g, (_all, path: string) => {
      const target = relative(root, resolve(dirname(id), path)).replace(/^src\//, "dist/");
      const slash = path.endsWith("/") ? "/" : "";
      return `new URL("${relative(`dist/${CHUNKS}`, target)}${slash}", import.meta.url)`;
    }),
};

rmSync(`${root}dist`, { recursive: true, force: true });
await bundle();
readScenarios();
for (const name of ["dashboard", "reference"]) copyPage(name);
chmodSync(`${root}dist/cli/main.js`, 0o755);
execFileSync("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly"], { cwd: root, stdio: "inherit" });

/** Few files take half the processor time of many: an import of the library is some 130 ms in place of 260 (`bench/`). */
async function bundle(): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: {
      index: "src/index.ts",
      [`${CHUNKS}/main`]: "src/cli/main.ts",
      [`${CHUNKS}/scenario-worker`]: "src/tools/scenarios/scenario-worker.ts",
      [`${CHUNKS}/verifier-process`]: "src/tools/pact/verification/verifier-process.ts",
      // Loaded by name, where they are needed.
      [`${CHUNKS}/ajv`]: "src/api/ajv.ts",
      [`${CHUNKS}/yaml`]: "src/cli/yaml.ts",
    },
    platform: "node",
    external: (name) => Object.keys(dependencies).some((one) => name === one || name.startsWith(`${one}/`)),
    plugins: [ownFiles],
    resolve: { alias: { "string-width": `${root}src/cli/text-width.ts` } },
  });
  const { output } = await build.write({
    dir: `${root}dist`,
    format: "esm",
    // What most commands load is one file, which saves a twelfth of a start. With a smaller number it has too much.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 20 }] },
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
  });
  await build.close();
  writeLicenses(output.filter((one) => one.type === "chunk"));
}

/** Reads the scenarios that ship, so that no command has to. One with fixtures of its own depends on more than its text. */
function readScenarios(): void {
  const lines = globSync("scenarios/**/*.yaml", { cwd: root }).map((file) => {
    const text = readFileSync(root + file, "utf8");
    const { mistakes, ...parsed } = parseScenario(text, file, scenarioContext());
    if (mistakes.length > 0 || parsed.scenarios.some(({ fixtures }) => fixtures !== undefined))
      throw new Error(
        `Failed to build: ${file} has mistakes or fixtures of its own. Run it from the sources.`,
      );
    const { steps: _steps, ...top } = readSource(text, file).value as Record<string, unknown>;
    return builtLine(text, { top, ...parsed });
  });
  if (lines.length === 0) throw new Error("Failed to build: there are no scenarios.");
  writeFileSync(`${root}dist/${CHUNKS}/built-scenarios.txt`, lines.join("\n"));
}

/** The licenses of the packages that came in ask to be passed on with them. */
function writeLicenses(chunks: readonly OutputChunk[]): void {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(folders)].toSorted().map((folder) => {
    const license = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (license === undefined) throw new Error(`Failed to build: ${folder} has no license.`);
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    return `${name}\n\n${readFileSync(`${folder}/${license}`, "utf8").trim()}\n`;
  });
  writeFileSync(`${root}dist/licenses.txt`, texts.join(`\n${"-".repeat(80)}\n\n`));
}

/** The files of a page are what browsers run: they are copied, not compiled. */
function copyPage(name: string): void {
  const from = `${root}src/pages/${name}/page/`;
  const to = `${root}dist/pages/${name}/page/`;
  mkdirSync(to, { recursive: true });
  for (const file of globSync("*.{html,css,js}", { cwd: from })) copyFileSync(from + file, to + file);
}
