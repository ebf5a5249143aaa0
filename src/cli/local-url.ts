import { settings, variableOf } from "./configuration/settings.ts";

/** Where a sandbox of this machine listens: the port of `SANDBANK_PORT`, or the usual one. */
export function localUrl(): string {
  return `http://127.0.0.1:${process.env[variableOf("port")] || settings.port.default}`;
}
