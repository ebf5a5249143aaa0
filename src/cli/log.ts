import type { Log } from "../server/log.ts";
import type { LOG_LEVELS } from "./configuration/settings.ts";
import type { Logger } from "pino";
import { createRequire } from "node:module";

type Level = (typeof LOG_LEVELS)[number];

/** Where lines go, and whether a person reads them there. */
interface LogTarget {
  readonly isTTY?: boolean;
  write(line: string): unknown;
}

/**
 * A log on standard error: JSON for machines, a readable line on a terminal. Standard output stays free for the
 * one line that says where the server listens. pino is loaded at the first line that is told, so that a quiet
 * start costs nothing.
 */
export function createLog(level: Level, target: LogTarget = process.stderr): Log {
  let logger: Logger | undefined;
  const load = (): Logger => {
    const { pino, stdTimeFunctions } = createRequire(import.meta.url)("pino") as typeof import("pino");
    const options = { level, base: null, timestamp: stdTimeFunctions.isoTime };
    const labelled = { ...options, formatters: { level: (label: string) => ({ level: label }) } };
    return pino(labelled, { write: (line) => target.write(target.isTTY ? readable(line) : line) });
  };
  const order = ["error", "warn", "info", "debug"] as const;
  const tell = (of: (typeof order)[number]): Log["info"] =>
    level === "silent" || order.indexOf(of) > order.indexOf(level)
      ? () => undefined
      : (fields, sentence) => (logger ??= load())[of](fields, sentence);
  return {
    error: tell("error"),
    warn: tell("warn"),
    info: tell("info"),
    debug: tell("debug"),
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

/** `12:00:00.000 warn  Failed to save the change… requestId=r1`, without what the sentence tells already, and below it the stack of a bug. */
function readable(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as LogLine;
  const details = Object.entries(fields)
    .filter(([, value]) => !msg.includes(String(value)))
    .map(([name, value]) => `${name}=${String(value)}`);
  const head = [time.slice(11, 23), level.padEnd(5), msg, ...details].join(" ");
  return `${head}\n${err === undefined ? "" : `${err.stack}\n`}`;
}
