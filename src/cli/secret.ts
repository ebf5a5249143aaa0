import type { Argv } from "yargs";
import { type FlagsOf, command } from "./command.ts";
import { suggestion } from "../engine/suggestion.ts";
import { httpUrl, localUrl } from "./flags.ts";
import { CommandFailure, UsageError } from "../library/failures.ts";

interface World {
  readonly id: string;
  readonly companies: readonly { readonly id: string; readonly token: string }[];
}

const ACTIONS = {
  print: { method: "GET", path: "/order/v1/webhook" },
  rotate: { method: "POST", path: "/order/v1/webhook/rotate-secret" },
} as const;

const flags = (yargs: Argv) =>
  yargs
    .positional("action", {
      choices: ["print", "rotate"] as const,
      demandOption: true,
      describe: "What to do",
    })
    .option("url", {
      type: "string",
      describe: "URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010]",
      coerce: httpUrl("--url"),
    })
    .option("company", { type: "string", describe: "Company [default: the first one of the world]" })
    .option("token", { type: "string", describe: "Token of the company, instead of its name" })
    .option("world", { type: "string", default: "default", describe: "World of the company" })
    .option("admin-token", {
      type: "string",
      describe: "Admin token of the sandbox [default: SANDBANK_ADMIN_TOKEN]",
    });

type SecretFlags = FlagsOf<typeof flags>;

/** `sandbank secret print|rotate`: prints the webhook secret of a company of a running sandbox, alone on a line. */
export const secretCommand = command(flags, async (flags) => {
  const { method, path } = ACTIONS[flags.action];
  const token = flags.token ?? (await tokenOf(flags));
  const answer = await ask(flags, path, { method, headers: { authorization: `Bearer ${token}` } });
  process.stdout.write(`${(answer as { secret: string }).secret}\n`);
});

async function tokenOf(flags: SecretFlags): Promise<string> {
  const admin = flags["admin-token"] ?? (process.env["SANDBANK_ADMIN_TOKEN"] || undefined);
  const headers = admin === undefined ? {} : { "x-admin-token": admin };
  const { data } = (await ask(flags, "/sandbox/worlds", { headers })) as { data: readonly World[] };
  const world = named("world", flags.world, data);
  return named("company", flags.company ?? world.companies[0]?.id ?? "", world.companies).token;
}

function named<One extends { readonly id: string }>(what: string, id: string, all: readonly One[]): One {
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const names = all.map((one) => one.id);
  throw new UsageError(`There is no ${what} "${id}". ${suggestion(id, names)}`);
}

async function ask({ url = localUrl() }: SecretFlags, path: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url.replace(/\/+$/, "") + path, init).catch(() => {
    throw new CommandFailure(
      `Failed to reach ${url}: nothing answers there. Start it with sandbank serve, or pass its URL with --url.`,
    );
  });
  const answer = (await response.json().catch(() => ({}))) as { message?: string };
  if (response.ok) return answer;
  const found = `it answered ${response.status}${answer.message === undefined ? "" : ` (${answer.message})`}`;
  throw new CommandFailure(`Failed to ask ${url}: ${found}. Check --url, --token and --admin-token.`);
}
