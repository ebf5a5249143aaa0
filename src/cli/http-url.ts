import { UsageError } from "./usage-error.ts";

/** Whether a text is a whole address of something that HTTP reaches, scheme and slashes included. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/** Refuses what is not such an address. */
export function mustBeHttpUrl(flag: string, url: string): void {
  if (isHttpUrl(url)) return;
  throw new UsageError(
    `${flag} must be an absolute http or https URL such as http://127.0.0.1:4010; found "${url}".`,
  );
}

/** Reads a flag that is such an address. */
export function httpUrl(flag: string) {
  return function readHttpUrl(written: string | undefined): string | undefined {
    if (written !== undefined) mustBeHttpUrl(flag, written);
    return written;
  };
}
