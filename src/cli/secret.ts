import { print } from "./standard-streams.ts";
import { type ValuesOf, command } from "./command.ts";
import { choice, localUrl, targetFlags, text } from "./flags.ts";
import { type ControlClient, OWN_AGENT, controlClient } from "../server/control/client.js";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { CommandFailure, UsageError } from "../base/failures.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const ACTIONS = {
  print: { method: "GET", path: "/order/v1/webhook" },
  rotate: { method: "POST", path: "/order/v1/webhook/rotate-secret" },
} as const;

const flags = {
  action: choice(["print", "rotate"], "Print the secret, or replace it by a new one and print that", {
    isArgument: true,
    demandOption: true,
  }),
  ...targetFlags,
  company: text("Id of the company [default: the first company of the world]"),
  token: text("Token of the company, instead of its name"),
  world: text("Id of the company's world", { default: "default" }),
  "admin-token": text("Admin token of the sandbox [default: SANDBANK_ADMIN_TOKEN]"),
};

type SecretFlags = ValuesOf<typeof flags>;

/** `sandbank secret print|rotate`: prints only the webhook secret of a company of a running sandbox. */
export const secretCommand = command(flags, async (flags) => {
  const { method, path } = ACTIONS[flags.action];
  const {
    url: written = localUrl(),
    target: url = written,
    "admin-token": adminToken = secretVariable("SANDBANK_ADMIN_TOKEN"),
  } = flags;
  const client = controlClient({ url, adminToken, agent: OWN_AGENT });
  const token = flags.token ?? (await tokenOf(flags, client));
  const response = await client.send(path, { method, headers: { authorization: `Bearer ${token}` } });
  const { secret, message } = (await response.json()) as { secret?: string; message?: string };
  if (secret === undefined)
    throw new CommandFailure(
      `Failed to read the secret: ${url} answered ${response.status} (${message}). Check --target, --token and --admin-token.`,
    );
  print(`${secret}\n`);
});

async function tokenOf(flags: SecretFlags, client: ControlClient): Promise<string> {
  const worlds = await client.worlds().catch((error: Error) => {
    throw new CommandFailure(error.message);
  });
  const world = named("world", flags.world, worlds);
  return named("company", flags.company ?? world.companies[0]?.id ?? "", world.companies).token;
}

function named<One extends { readonly id: string }>(what: string, id: string, all: readonly One[]): One {
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const names = all.map((one) => one.id);
  throw new UsageError(`There is no ${what} "${id}". ${suggestion(id, names)}`);
}
