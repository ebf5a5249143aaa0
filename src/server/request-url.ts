/** The origin of an absolute URL as the server made it: scheme, host and port, with no slash at its end. */
export function originOf(url: string): string {
  return url.slice(0, startOfPath(url));
}

/** The path of an absolute URL as the server made it, without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return url.slice(startOfPath(url), query < 0 ? undefined : query);
}

function startOfPath(url: string): number {
  return url.indexOf("/", url.indexOf("//") + 2);
}
