import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { join, resolve } from "node:path";
import { once } from "node:events";
import { tmpdir } from "node:os";

/** Packs the project, unpacks it elsewhere, and gives the folder of the package with its dependencies beside it. */
function unpacked() {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-package-"));
  const quiet = { stdio: "pipe", encoding: "utf8" } as const;
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", folder], quiet),
  ) as {
    filename: string;
    files: { path: string }[];
  }[];
  execFileSync("tar", ["-xzf", join(folder, packed?.filename ?? ""), "-C", folder], quiet);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return {
    files: packed?.files.map(({ path }) => path) ?? [],
    at: (path: string) => join(folder, "package", path),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test(
  "the packed package holds what it needs, serves, and runs the scenarios that ship",
  { timeout: 120_000 },
  async () => {
    using folder = unpacked();
    expect(folder.files).toContain("dist/index.js");
    expect(folder.files).toContain("dist/index.d.ts");
    expect(folder.files).toContain("LICENSE");
    expect(folder.files).toContain("dist/dashboard/page/index.html");
    expect(folder.files).toContain("dist/reference/page/reference.css");
    expect(folder.files.filter((path) => /^(src|test|scripts|docs)\//.test(path))).toEqual([]);

    const child = spawn(process.execPath, [folder.at("dist/cli/main.js"), "serve", "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const url = /http:\/\/\S+/.exec(line.toString())?.[0] ?? "";
    expect(await (await fetch(`${url}/sandbox/health`)).json()).toMatchObject({ status: "ok" });
    expect((await fetch(`${url}/dashboard/main.js`)).status).toBe(200);
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);

    const run = [folder.at("dist/cli/main.js"), "run", folder.at("scenarios/subscriptions/accepted.yaml")];
    expect(execFileSync(process.execPath, run, { encoding: "utf8" })).toContain("1 passed");
  },
);
