import type { Argv } from "yargs";
import { type ChildProcess, spawn } from "node:child_process";
import { clockEnvironment } from "../library/clock-environment.ts";
import { CommandFailure, UsageError } from "../process/failures.ts";
import { type ControlClient, controlClient } from "../control/client.js";
import { type Command, type FlagsOf, command } from "./command.ts";
import { localUrl, targetFlag, wholeNumber, worldFlag } from "./flags.ts";
import { variableOf } from "../library/settings.ts";

const flags = (yargs: Argv) =>
  yargs
    .usage("$0 with-clock [options] -- COMMAND [ARGUMENTS..]")
    .option("target", targetFlag)
    .option("world", worldFlag)
    .option("token", { type: "string", describe: "Token of a company, whose world it is" })
    .option("name", { type: "string", describe: "Name of the follower", defaultDescription: "its file" })
    .option("settle", {
      type: "string",
      describe: "Milliseconds of real time without an open request after which it is idle [default: 5]",
      coerce: wholeNumber("--settle", { min: 0, max: 60_000 }),
    })
    .option("turn-timeout", {
      type: "string",
      describe:
        "Real time for a turn before it stops the advance [default: clock-turn-timeout of the server]",
    })
    .option("lease", {
      type: "string",
      describe: "Real time that it may be away before it is removed [default: clock-lease of the server]",
    })
    .option("real", {
      type: "string",
      array: true,
      requiresArg: true,
      nargs: 1,
      describe: "Files whose timers stay real, such as 'node_modules/pg/**' (repeatable)",
    })
    .option("only", { choices: ["date"] as const, describe: "Follow with the date alone: timers stay real" })
    .option("faketime", {
      type: "boolean",
      default: false,
      describe: "Use libfaketime, for a program in another language that needs only the date",
    });

type WithClockFlags = FlagsOf<typeof flags>;

/** `sandbank with-clock`: runs a command whose clock is that of a world. Its exit code is that of the command. */
export function withClockCommand(typed: readonly string[]): Command {
  const separator = typed.indexOf("--");
  const words = separator < 0 ? [] : typed.slice(separator + 1);
  return command(flags, (values) => runWithClock(words, values));
}

async function runWithClock([file, ...args]: readonly string[], flags: WithClockFlags): Promise<void> {
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
    const faketime = await withFaketime(client, { ...options, name: options.name ?? file });
    exitAs(await ended(start([file, ...args], faketime.env)));
    await faketime.stop();
    return;
  }
  const end = await ended(start([file, ...args], clockEnvironment(options)));
  await removeAway(client, known);
  exitAs(end);
}

function followOptions(flags: WithClockFlags) {
  const { world, token, name, settle, lease, real, only } = flags;
  const adminToken = process.env[variableOf("admin-token")];
  return {
    url: flags.target ?? localUrl(),
    ...(world !== undefined && { world }),
    ...(token !== undefined && { token }),
    ...(adminToken && { adminToken }),
    ...(name !== undefined && { name }),
    ...(settle !== undefined && { settle }),
    ...(flags["turn-timeout"] !== undefined && { turnTimeout: flags["turn-timeout"] }),
    ...(lease !== undefined && { lease }),
    ...(real !== undefined && { real }),
    ...(only !== undefined && { only }),
  };
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

/** Removes the followers that came meanwhile and are gone: a process that was killed could not say so. */
async function removeAway(client: ControlClient, known: ReadonlySet<string>): Promise<void> {
  const followers = await client.ask("GET /sandbox/clock/followers").catch(() => ({ data: [] }));
  for (const { id, state } of followers.data)
    if (state === "away" && !known.has(id))
      await client.ask("DELETE /sandbox/clock/followers/{id}", { id }).catch(() => undefined);
}
