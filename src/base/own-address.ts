/**
 * Returns the address to listen on for the user's system. A command opens a sandbox for that system on this machine
 * alone, unless the system is elsewhere, such as in a container.
 */
export function ownHost(): string {
  return process.env["SANDBANK_HOST"] || "127.0.0.1";
}

/** Returns an address that can be opened. An address of all interfaces cannot be opened. */
export function reachable(url: string): string {
  return url.replace(
    /^(http:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/,
    (_, scheme: string) => `${scheme}127.0.0.1`,
  );
}
