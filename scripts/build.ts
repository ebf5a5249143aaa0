import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, globSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Builds `dist/` afresh: JavaScript and types from the sources by the compiler alone, and what browsers run as it is. */
const root = fileURLToPath(new URL("../", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
for (const room of ["dashboard", "reference"]) copyPage(room);
chmodSync(`${root}dist/cli/main.js`, 0o755);

/** The files of a page are what browsers run: they are copied, not compiled. */
function copyPage(room: string): void {
  const from = `${root}src/${room}/page/`;
  const to = `${root}dist/${room}/page/`;
  mkdirSync(to, { recursive: true });
  for (const file of globSync("*.{html,css,js}", { cwd: from })) copyFileSync(from + file, to + file);
}
