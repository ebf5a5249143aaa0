import type { CommandModule } from "yargs";
import { httpUrl, wholeNumber } from "./flags.ts";

export interface McpFlags {
  readonly target?: string | undefined;
  readonly world: string;
  readonly port?: number | undefined;
}

/** `sandbank mcp`: a Model Context Protocol server over standard input and output, for coding agents. */
export const mcpCommand: CommandModule<object, McpFlags> = {
  command: "mcp",
  describe: "Serve the sandbox to coding agents over standard input and output (Model Context Protocol)",
  builder: (yargs) =>
    yargs
      .option("target", {
        type: "string",
        describe:
          "Use a running sandbank (admin token in SANDBANK_ADMIN_TOKEN) [default: one in this process]",
        coerce: httpUrl("--target"),
      })
      .option("world", { type: "string", default: "default", describe: "World of the target" })
      .option("port", {
        type: "string",
        describe: "Port of the sandbox in this process [default: a free one]",
        coerce: wholeNumber("--port", { min: 0, max: 65_535 }),
      }),
  handler: async (flags) => {
    const { serveAgents } = await import("../tools/agents/mcp-server.ts");
    await serveAgents(flags);
  },
};
