#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// What was compiled at one start need not be compiled at the next; so it has to be said before anything is loaded.
enableCompileCache();
const { runCommandLine } = await import("./command-line.ts");
await runCommandLine(process.argv.slice(2));
