import { extname } from "node:path";
import type { FollowClockOptions, FollowedWorld } from "../../server/access/followed-clock.ts";

/** The variable that the preload reads. */
export const CLOCK_VARIABLE = "SANDBANK_CLOCK";

const PRELOAD = new URL(`./clock-preload${extname(import.meta.url)}`, import.meta.url);

/** Returns the environment of a command. Its Node processes, and their threads, follow the clock of a world. */
export function clockEnvironment(
  options: FollowedWorld & FollowClockOptions,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const nodeOptions = `${env["NODE_OPTIONS"] ?? ""} --import=${PRELOAD.href}`.trim();
  return { ...env, NODE_OPTIONS: nodeOptions, [CLOCK_VARIABLE]: JSON.stringify(options) };
}
