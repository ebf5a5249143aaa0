import { settings, variableOf } from "./settings.ts";

/**
 * Returns the address to listen on for the user's system. A command opens a sandbox for that system on this machine
 * alone, unless the system is elsewhere, such as in a container.
 */
export function ownHost(): string {
  return process.env[variableOf("host")] || settings.host.default;
}
