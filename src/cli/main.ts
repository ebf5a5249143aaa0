#!/usr/bin/env node
import { outdatedNode } from "../base/package.ts";

// An older Node could fail to load any other module, so this check comes before all other imports.
const problem = outdatedNode(process.versions.node);
if (problem === undefined) {
  const { enableCompileCache } = await import("node:module");
  // Called before other imports, so that modules are compiled only at the first start. Deno has no such function.
  enableCompileCache?.();
  const { exemptLoopback } = await import("../base/proxies.ts");
  exemptLoopback();
  const { runCommandLine } = await import("./command-line.ts");
  await runCommandLine(process.argv.slice(2));
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}
