import { UsageError } from "./usage-error.ts";

/** Whether a text is the address of something that HTTP reaches. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Refuses what is not a whole address, scheme and slashes included. */
export function mustBeHttpUrl(flag: string, url: string): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return;
  throw new UsageError(`${flag} must be an absolute http or https URL; found "${url}".`);
}

/** Reads a flag that is the address of an HTTP server, or says what was found. */
export function httpUrl(flag: string) {
  return function readHttpUrl(written: string | undefined): string | undefined {
    if (written === undefined || isHttpUrl(written)) return written;
    throw new UsageError(`${flag} must be an address such as http://127.0.0.1:4010; found "${written}".`);
  };
}
