import { type ChildProcess, spawn } from "node:child_process";
import { clockEnvironment } from "../partner/clock/clock-environment.ts";
import { CommandFailure, UsageError } from "../base/failures.ts";
import { type ControlClient, controlClient } from "../server/control/client.js";
import { type Command, type ValuesOf, command } from "./command.ts";
import { choice, localUrl, number, targetFlag, text, texts, toggle, worldFlag } from "./flags.ts";
import { defined } from "../simulator/engine/json.ts";
import type { Wall } from "../base/wall.ts";
import { secretVariable } from "../server/settings/secret-variable.ts";

const flags = {
  target: targetFlag,
  world: worldFlag,
  token: text("Token of a company, to follow the clock of its world"),
  name: text("Name of the follower", { defaultDescription: "the program's file" }),
  settle: number(
    [0, 60_000],
    "Milliseconds of real time without an open request until the program counts as idle [default: 5]",
  ),
  "turn-timeout": text(
    "Maximum real time of a turn, as an ISO 8601 duration; then the advance stops [default: clock-turn-timeout of the server]",
  ),
  lease: text(
    "Maximum real time without contact with the program, as an ISO 8601 duration; then it is removed [default: clock-lease of the server]",
  ),
  real: texts("Files whose timers stay real, such as 'node_modules/pg/**' (repeatable)", {
    requiresArg: true,
    nargs: 1,
  }),
  only: choice(["date"], "Follow only with the date; timers stay real"),
  faketime: toggle("Use libfaketime, for the date of a program in another language", {
    default: false,
  }),
};

type WithClockFlags = ValuesOf<typeof flags>;

/** `sandbank with-clock`: runs a command with the clock of a world, and exits with its exit code. */
export function withClockCommand(typed: readonly string[]): Command {
  const separator = typed.indexOf("--");
  const words = separator < 0 ? [] : typed.slice(separator + 1);
  return command(
    flags,
    (values, wall) => runWithClock(words, { ...values, wall }),
    "$0 with-clock [options] -- COMMAND [ARGUMENTS..]",
  );
}

async function runWithClock(
  [file, ...args]: readonly string[],
  { wall, ...flags }: WithClockFlags & { readonly wall: Wall },
): Promise<void> {
  if (file === undefined)
    throw new UsageError(
      "with-clock requires a command. Write it after --: sandbank with-clock -- node server.js",
    );
  const options = followOptions(flags);
  const { name: _name, ...where } = options;
  const client = controlClient(where);
  const { data: before } = await client.ask("GET /sandbox/clock/followers");
  const known = new Set(before.map(({ id }) => id));
  if (flags.faketime) {
    const { withFaketime } = await import("./faketime.ts");
    const faketime = await withFaketime(client, { ...options, wall, name: options.name ?? file });
    exitAs(await ended(start([file, ...args], faketime.env)));
    await faketime.stop();
    return;
  }
  const end = await ended(start([file, ...args], clockEnvironment(options)));
  await removeAway(client, known);
  exitAs(end);
}

function followOptions({ target: url = localUrl(), ...flags }: WithClockFlags) {
  const { world, token, name, settle, "turn-timeout": turnTimeout, lease, real, only } = flags;
  const adminToken = secretVariable("SANDBANK_ADMIN_TOKEN");
  return { url, ...defined({ world, token, adminToken, name, settle, turnTimeout, lease, real, only }) };
}

function start([file = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(file, args, { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // A terminal sends it to the command as well.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  return child;
}

type End = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

function ended(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once("error", ({ message }) =>
      reject(new CommandFailure(`Failed to run ${child.spawnfile}: ${message}. Correct the command.`)),
    );
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** Ends as the command did. */
function exitAs({ code, signal }: End): void {
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exitCode = code ?? 1;
}

/** Removes the followers that started since then and are away. A killed process could not remove itself. */
async function removeAway(client: ControlClient, known: ReadonlySet<string>): Promise<void> {
  const followers = await client.ask("GET /sandbox/clock/followers").catch(() => ({ data: [] }));
  for (const { id, state } of followers.data)
    if (state === "away" && !known.has(id))
      await client.ask("DELETE /sandbox/clock/followers/{id}", { id }).catch(() => undefined);
}
