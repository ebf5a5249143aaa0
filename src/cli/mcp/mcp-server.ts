import { visible } from "../../base/visible-text.ts";
import type { OpenSandbox } from "../../server/access/open-sandbox.ts";
import {
  type CallToolResult,
  McpServer,
  fromJsonSchema,
  type jsonSchemaValidator,
} from "@modelcontextprotocol/server";
import { AnsweringTransport } from "./answering-transport.ts";
import { mcpTools } from "./mcp-tools.ts";
import { prompts } from "./mcp-prompts.ts";
import { type JsonObject, defined } from "../../simulator/engine/json.ts";
import { type ScenarioWorld, openTarget } from "../../scenarios/world.ts";
import { packageVersion } from "../../base/package.ts";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isExplained } from "../../reports/explained.ts";
import { UsageError } from "../../base/failures.ts";
import { valueMistakes } from "../../scenarios/schema.ts";
import { secretVariable } from "../../server/settings/secret-variable.ts";

/** The place of the agents' world: a running server, or a sandbox in this process. */
interface AgentsOptions {
  readonly target?: string | undefined;
  readonly world: string;
  readonly port?: number | undefined;
  readonly openSandbox: OpenSandbox;
}

/** Serves until the agent closes standard input. Only the protocol is written to standard output. */
export async function serveAgents(flags: AgentsOptions): Promise<void> {
  const { url, world } = await openWorld(flags);
  const tools = mcpTools(world, flags.openSandbox, flags.target);
  const instructions = instructionsFor(url, world);
  const transport = new AnsweringTransport();
  serveStdio(
    () => {
      const server = new McpServer({ name: "sandbank", version: packageVersion() }, { instructions });
      for (const { name, description, inputSchema, isReadOnly, run } of tools) {
        const config = {
          description,
          annotations: {
            readOnlyHint: isReadOnly === true,
            // A reset alone cannot be undone.
            destructiveHint: name === "reset",
            openWorldHint: false,
          },
          inputSchema: fromJsonSchema<JsonObject>(inputSchema, CHECKED_LATER),
        };
        server.registerTool(name, config, (input) =>
          answer(() => {
            const mistakes = valueMistakes(inputSchema, input);
            if (mistakes.length > 0) throw new UsageError(mistakes.join(" "));
            return run(input);
          }),
        );
      }
      for (const [name, { title, description, args, required, textOf }] of Object.entries(prompts)) {
        const properties = Object.fromEntries(
          Object.entries(args).map(([arg, says]) => [arg, { type: "string", description: says }]),
        );
        const argsSchema = fromJsonSchema<Readonly<Record<string, string>>>({
          type: "object",
          properties,
          required: [...required],
        });
        server.registerPrompt(name, { title, description, argsSchema }, (given) => ({
          messages: [{ role: "user", content: { type: "text", text: textOf(given) } }],
        }));
      }
      return server;
    },
    { transport, onerror: (error) => process.stderr.write(`${visible(error.message)}\n`) },
  );
  const signals = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => signals.resolve());
  await Promise.race([transport.closed, signals.promise]);
  await world[Symbol.asyncDispose]();
}

/**
 * Accepts every input. `valueMistakes` checks it later, and its messages name the nearest word as for scenario files.
 */
const CHECKED_LATER: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** The maximum number of characters in an answer. A longer answer costs an agent too many tokens. */
const TEXT_MAX = 60_000;

async function answer(run: () => unknown): Promise<CallToolResult> {
  try {
    const value = await run();
    return { content: [{ type: "text", text: bounded(JSON.stringify(value, shortened, 1) ?? "null") }] };
  } catch (error) {
    if (!isExplained(error)) throw error;
    return { content: [{ type: "text", text: bounded(error.message) }], isError: true };
  }
}

/** The maximum number of characters in one text. The limit cuts Base64 images, which do not help an agent. */
const STRING_MAX = 1_000;

function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= STRING_MAX) return value;
  return `${value.slice(0, 100)}… (${value.length} characters)`;
}

function bounded(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  return `${text.slice(0, TEXT_MAX)}\n… ${text.length - TEXT_MAX} more characters are left out. Ask again with a filter or a limit.`;
}

/** Opens the named world, or a world of a sandbox that this process opens and closes. */
async function openWorld({
  target,
  world,
  port,
  openSandbox,
}: AgentsOptions): Promise<{ readonly url: string; readonly world: ScenarioWorld }> {
  const adminToken = secretVariable("SANDBANK_ADMIN_TOKEN");
  if (target !== undefined) {
    const opened = await openTarget(target, world, defined({ adminToken }));
    return { url: target.replace(/\/+$/, ""), world: opened };
  }
  const { sandbox } = await openSandbox();
  const { url } = await sandbox.listen(defined({ port }));
  return { url, world: { ...(await openTarget(url, world)), [Symbol.asyncDispose]: () => sandbox.close() } };
}

function instructionsFor(url: string, { tokens }: ScenarioWorld): string {
  const companies = Object.entries(tokens).map(([name, token]) => `${name} (Bearer ${token})`);
  return [
    `sandbank is a stateful sandbox of a banking, subscription and order platform at ${url}.`,
    `Point a client at that URL with the token of a company: ${companies.join(", ")}.`,
    "`describe` lists operations, acts, plans, effects, events, assumptions and fixtures. With a name it shows one of them with its schema and an example.",
    "`call` uses the platform API as a partner does. `act` plays a payer or an institution now, `plan` sets their answers in advance, and `fault` injects failures. While the clock is frozen, time passes only by `advance`.",
    "`deliveries` shows the webhooks, `requests` shows the received calls, and `why` shows the history of an object.",
    'Bodies can start from a fixture: {"$use": "subscription.monthly", "externalId": "gym-1"}. Texts can contain ${today + P5D}.',
  ].join("\n");
}
