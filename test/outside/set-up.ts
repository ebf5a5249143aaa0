import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The file of the packed package. */
    readonly tarball: string;
  }
}

/** Packs the project once for all tests that install it. */
export function setup({ provide }: TestProject): () => void {
  if (!existsSync("test/outside/node_modules"))
    throw new Error("Failed to start the tests: test/outside has no packages. Run npm run install:outside.");
  const folder = mkdtempSync(join(tmpdir(), "sandbank-packed-"));
  const printed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    stdio: "pipe",
    encoding: "utf8",
  });
  const [{ filename }] = JSON.parse(printed) as [{ readonly filename: string }];
  provide("tarball", join(folder, filename));
  return () => rmSync(folder, { recursive: true });
}
