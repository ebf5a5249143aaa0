import { UsageError } from "./usage-error.ts";

/** Reads a flag that is the address of an HTTP server, or says what was found. */
export function httpUrl(flag: string) {
  return function readHttpUrl(written: string | undefined): string | undefined {
    if (written === undefined) return undefined;
    if (URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)) return written;
    throw new UsageError(`${flag} must be an address such as http://127.0.0.1:4010; found "${written}".`);
  };
}
