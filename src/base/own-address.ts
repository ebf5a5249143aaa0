/** Returns an address that can be opened. An address of all interfaces cannot be opened. */
export function reachable(url: string): string {
  return url.replace(
    /^(http:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/,
    (_, scheme: string) => `${scheme}127.0.0.1`,
  );
}
