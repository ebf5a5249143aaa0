import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

const folder = mkdtempSync(join(tmpdir(), "sandbank-tests-"));

/** Whatever tests write goes into one folder, which ends with them, also where a test was killed. */
export function setup(): void {
  // The PostgreSQL of the tests runs as another user.
  chmodSync(folder, 0o755);
  process.env["TMPDIR"] = folder;
  // Hundreds of processes and threads run the sources: what the first compiled is there for the others.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled");
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
