import { note, print } from "./standard-streams.ts";
import { misspeltVariables } from "../server/settings/misspelt-variables.ts";
import { visibleLines } from "../base/visible-text.ts";
import { command } from "./command.ts";
import { presentReport } from "./assumptions.ts";
import { defined } from "../simulator/engine/json.ts";
import type { Log } from "../base/log.ts";
import type { Logger } from "pino";
import type { Sandbox } from "../server/access/sandbox-interface.ts";
import type { SandboxOptions } from "../server/settings/sandbox-options.ts";
import { CommandFailure, UsageError } from "../base/failures.ts";
import { readTelemetry } from "../server/telemetry-setting.ts";
import { reachable } from "../base/own-address.ts";
import { isContained } from "../base/container.ts";
import { controlClient } from "../server/control/client.js";
import { NO_URL } from "../simulator/worlds/not-sent.ts";
import { DEFAULT_WORLD } from "../simulator/worlds/worlds.ts";
import { createRequire, flushCompileCache } from "node:module";
import { createSandbox } from "../library/sandbox.ts";
import { type Configuration, readConfiguration, settingFlags } from "./config.ts";
import { type Wall, within } from "../base/wall.ts";
import { type Setting, type SettingValue, settingNames, settings } from "../server/settings/settings.ts";

/** `sandbank serve`: the sandbox on a port. */
export const serveCommand = command(settingFlags(), (flags, wall) =>
  serve(readConfiguration({ flags, environment: process.env }), wall),
);

/** The time from the start until the compiled modules are stored. A server that is killed later stores none. */
const CACHED_AFTER_MS = 2_000;

async function serve(configuration: Configuration, wall: Wall): Promise<void> {
  for (const sentence of misspeltVariables(process.env)) note(`${sentence}\n`);
  const telemetry = readTelemetry(process.env);
  if (telemetry !== undefined && "mistake" in telemetry) throw new UsageError(telemetry.mistake);
  const port = configuration.port.value ?? settings.port.default;
  const host = configuration.host.value ?? settings.host.default;
  const format = configuration["log-format"].value ?? settings["log-format"].default;
  const log = createLog(configuration["log-level"].value ?? settings["log-level"].default, format);
  const { calibrationReport = presentReport(), ...options } = sandboxOptions(configuration);
  const opening = createSandbox({ ...options, ...defined({ calibrationReport }), log });
  const stopping = closeOnSignal(opening, { log, wall });
  const sandbox = await opening;
  try {
    const { url } = await sandbox.listen({ port, host });
    const reached = reachable(url);
    print(`sandbank listening on ${reached}\n`);
    wall.deadline(CACHED_AFTER_MS, () => flushCompileCache());
    const adminToken = configuration["admin-token"].value;
    if (format === "text")
      print(await banner(sandbox, { url: reached, adminToken, isInside: isContained() }));
  } catch (error) {
    // A signal during the start closes the sandbox, and then ends the process.
    if (stopping.isClosing) return;
    await sandbox.close();
    throw listenFailure(error as NodeJS.ErrnoException, { port, host });
  }
}

/** Writes the next steps for a person: the address of the pages, and the settings for a client and a receiver. */
export async function banner(
  sandbox: Sandbox,
  {
    url,
    adminToken,
    isInside,
  }: {
    readonly url: string;
    readonly adminToken: string | undefined;
    /** True if the sandbox runs in a container. Its port may be published as another port. */
    readonly isInside: boolean;
  },
): Promise<string> {
  const client = controlClient({ url, adminToken, fetch: (request) => sandbox.fetch(request) });
  const home = (await client.worlds()).find(({ id }) => id === DEFAULT_WORLD);
  const [company] = home?.companies ?? [];
  if (home === undefined || company === undefined) return "";
  const { clock, seed } = home;
  const rows = {
    Dashboard: `${url}/`,
    Reference: `${url}/docs`,
    Token: `${company.token} (company ${company.id})`,
    "Webhook secret": company.webhookSecret,
    "Webhooks go to": company.webhookUrl ?? `nowhere: ${NO_URL}`,
    Clock: `${clock.mode} at ${clock.now}`,
    Seed: String(seed),
    ...(isInside && { Container: "from the host, use the port that you published (-p) in these addresses" }),
  };
  const lines = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(16)}${value}`);
  return `\n${lines.join("\n")}\n\n`;
}

/** The time that a start may continue after a signal. It may wait for a database that does not come. */
const STARTING_MAX_MS = 2_000;

/**
 * Ends the process with 0 after SIGTERM or SIGINT, once the open requests are answered. This also works while the
 * sandbox still starts: its data is then as safe as after a kill. A repeated signal has no effect, because at a
 * terminal npm and the shell both send Ctrl-C. `isClosing` is true after the first signal.
 */
function closeOnSignal(
  opening: Promise<Sandbox>,
  { log, wall }: { readonly log: Log; readonly wall: Wall },
): { readonly isClosing: boolean } {
  const state = { isClosing: false };
  async function close(signal: string): Promise<void> {
    if (state.isClosing) return;
    state.isClosing = true;
    log.debug({ signal }, `${signal}: finishing the open requests.`);
    const opened = (): Promise<Sandbox | undefined> => opening.catch(() => undefined);
    const sandbox = await within(opened, { ms: STARTING_MAX_MS, late: "starting" as const, wall });
    // `serve` reports why the sandbox did not open.
    if (sandbox === undefined) return;
    if (sandbox !== "starting") await sandbox.close();
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void close(signal));
  return state;
}

/** Returns the options of `createSandbox` that are set, by the table of settings. */
function sandboxOptions(configuration: Configuration): SandboxOptions {
  const options = settingNames.flatMap((name) => {
    const { option, toOption = (value: unknown) => value }: Setting = settings[name];
    const { value } = configuration[name];
    return option === undefined || value === undefined ? [] : [[option, toOption(value)]];
  });
  return Object.fromEntries(options) as SandboxOptions;
}

function listenFailure(error: NodeJS.ErrnoException, { port, host }: { port: number; host: string }): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port ${port} is in use. Stop what uses it, or choose another with --port.`,
    EACCES: `you may not use the port ${port}. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Choose another with --host.`,
    ENOTFOUND: `the host ${host} is unknown. Choose another with --host.`,
  };
  return new CommandFailure(
    `Failed to listen on ${host}:${port}: ${reasons[error.code ?? ""] ?? error.message}`,
  );
}

/**
 * Makes a log on standard error: readable lines, or JSON lines. pino is loaded for the first line, so that it costs a
 * start no time.
 */
export function createLog(
  level: SettingValue<"log-level">,
  format: SettingValue<"log-format">,
  target: { write(line: string): unknown } = process.stderr,
): Log {
  let logger: Logger | undefined;
  const load = (): Logger => {
    const { pino, stdTimeFunctions } = createRequire(import.meta.url)("pino") as typeof import("pino");
    const options = { level, base: null, timestamp: stdTimeFunctions.isoTime };
    const labelled = { ...options, formatters: { level: (label: string) => ({ level: label }) } };
    return pino(labelled, {
      write: (line) => target.write(format === "text" ? visibleLines(readable(line)) : line),
    });
  };
  const order = ["error", "warn", "info", "debug"] as const;
  const write = (of: (typeof order)[number]): Log["info"] =>
    level === "silent" || order.indexOf(of) > order.indexOf(level)
      ? () => undefined
      : (fields, sentence) => (logger ??= load())[of](fields, sentence);
  return {
    error: write("error"),
    warn: write("warn"),
    info: write("info"),
    debug: write("debug"),
    isDebugEnabled: level === "debug",
  };
}

interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly err?: { readonly stack: string };
  readonly [field: string]: unknown;
}

/** `12:00:00.000 warn  Failed to save the change… requestId=r1`: fields that the sentence contains are left out. */
function readable(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as LogLine;
  const details = Object.entries(fields)
    .filter(([, value]) => !msg.includes(String(value)))
    .map(([name, value]) => `${name}=${String(value)}`);
  const head = [time.slice(11, 23), level.padEnd(5), msg, ...details].join(" ");
  return `${head}\n${err === undefined ? "" : `${err.stack}\n`}`;
}
