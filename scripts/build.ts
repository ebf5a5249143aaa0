import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

/**
 * Builds `dist/` afresh: the library and the command line in few files, what browsers run as it is, and the types.
 */
const root = fileURLToPath(new URL("../", import.meta.url));

/** Every file but the entry of the library is in this folder. */
const CHUNKS = "cli";

/** The lowest Node that package.json promises. It does not know `await using`, for example. */
const lowestNode = (readJson("package.json")["engines"] as { readonly node: string }).node.replace(">=", "");

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
copyPages();
chmodSync(`${root}dist/cli/main.js`, 0o755);
execFileSync("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly"], { cwd: root, stdio: "inherit" });
writeBillOfMaterials();

/** Few files take half the processor time of many: an import of the library is some 130 ms in place of 260 (`bench/`). */
async function bundle(): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: {
      index: "src/index.ts",
      [`${CHUNKS}/main`]: "src/cli/main.ts",
      [`${CHUNKS}/clock-preload`]: "src/partner/clock/clock-preload.ts",
      [`${CHUNKS}/scenario-thread`]: "src/library/scenario-thread.ts",
      [`${CHUNKS}/verifier-process`]: "src/contracts/verification/verifier-process.ts",
    },
    platform: "node",
    transform: { target: `node${lowestNode}` },
    // Packages stay packages, so that audits and updates see what the product runs on. Not one of them: the helpers of
    // the compiler.
    external: (name) => /^[^./]/.test(name) && !/^(?:src|@oxc-project\/runtime)\//.test(name),
    plugins: [ownFiles],
  });
  await build.write({
    dir: `${root}dist`,
    format: "esm",
    // What most commands load is one file, which saves a twelfth of a start. With a smaller number it has too much.
    codeSplitting: {
      groups: [
        // What checks the version of Node, before anything that an older one cannot load.
        { name: "package", test: /src\/base\/package\.ts$/, priority: 1 },
        { name: "supported-node", test: /src\/base\/supported-node\.ts$/, priority: 1 },
        // What the parser of the command line needs, so that a help page does not load the simulator.
        {
          name: "parser",
          test: /src\/(?:base|cli|reports)\/|engine\/suggestion\.ts$|control\/client\.js$/,
          minShareCount: 20,
          priority: 1,
        },
        { name: "shared", minShareCount: 20 },
      ],
    },
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
  });
  await build.close();
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly [kind in "dev" | "devOptional"]?: boolean }>>;
}

/**
 * Writes what the product runs on as a CycloneDX document, without network. npm leaves out a package that a tool needs
 * too, so it gets a project and a lock file without the tools.
 */
function writeBillOfMaterials(): void {
  const temporary = mkdtempSync(join(tmpdir(), "sandbank-sbom-"));
  // The document is named by its folder.
  const folder = join(temporary, "sandbank");
  mkdirSync(folder);
  try {
    const { devDependencies: _tools, ...project } = readJson("package.json");
    const lock = readJson("package-lock.json") as Lock & Record<string, unknown>;
    const used = Object.entries(lock.packages).filter(
      ([path, { dev, devOptional }]) => path.startsWith("node_modules/") && !(dev ?? devOptional ?? false),
    );
    const packages = { "": project, ...Object.fromEntries(used) };
    writeFileSync(join(folder, "package.json"), JSON.stringify(project));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
    const flags = [
      "--prefix",
      folder,
      "--sbom-format",
      "cyclonedx",
      "--omit",
      "dev",
      "--package-lock-only",
      "--offline",
    ];
    const text = execFileSync("npm", ["sbom", ...flags], { cwd: folder, encoding: "utf8" });
    writeFileSync(`${root}dist/sbom.cdx.json`, text);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(root + file, "utf8")) as Record<string, unknown>;
}

/** What browsers run is copied, not compiled. */
function copyPages(): void {
  const folders = ["pages/dashboard/page", "pages/reference/page", "pages/html", "server/control"];
  for (const file of folders.flatMap((folder) =>
    globSync(`${folder}/*.{html,css,js}`, { cwd: `${root}src` }),
  )) {
    mkdirSync(dirname(`${root}dist/${file}`), { recursive: true });
    copyFileSync(`${root}src/${file}`, `${root}dist/${file}`);
  }
}
