import { openSandbox } from "../library/sandbox.ts";
import { command } from "./command.ts";
import { number, PORTS_OR_FREE, text, url } from "./flags.ts";
import { serveAgents } from "./mcp/mcp-server.ts";

const flags = {
  target: url(
    "Use a running sandbank (admin token in SANDBANK_ADMIN_TOKEN) [default: a sandbox in this process]",
  ),
  world: text("World of the target", { default: "default" }),
  port: number(PORTS_OR_FREE, "Port of the sandbox in this process [default: a free one]"),
};

/** `sandbank mcp`: a Model Context Protocol server over standard input and output, for coding agents. */
export const mcpCommand = command(flags, (given) => serveAgents({ ...given, openSandbox }));
