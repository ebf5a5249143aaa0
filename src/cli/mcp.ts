import type { Argv } from "yargs";
import { command } from "./command.ts";
import { httpUrl, wholeNumber } from "./flags.ts";
import { serveAgents } from "../tools/agents/mcp-server.ts";

const flags = (yargs: Argv) =>
  yargs
    .option("target", {
      type: "string",
      describe: "Use a running sandbank (admin token in SANDBANK_ADMIN_TOKEN) [default: one in this process]",
      coerce: httpUrl("--target"),
    })
    .option("world", { type: "string", default: "default", describe: "World of the target" })
    .option("port", {
      type: "string",
      describe: "Port of the sandbox in this process [default: a free one]",
      coerce: wholeNumber("--port", { min: 0, max: 65_535 }),
    });

/** `sandbank mcp`: a Model Context Protocol server over standard input and output, for coding agents. */
export const mcpCommand = command(flags, serveAgents);
