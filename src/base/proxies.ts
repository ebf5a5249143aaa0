import { http } from "./node-http.ts";

/** The names of this machine, as `NO_PROXY` takes them. */
const LOOPBACK = ["localhost", ".localhost", "127.0.0.1", "[::1]"];

/** Returns true if a URL leads to this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Adds this machine to `no_proxy`, if the environment names a proxy. Node's `fetch` reads the variable for each
 * request, and a proxy cannot reach a sandbox on this machine.
 */
export function exemptLoopback(environment: NodeJS.ProcessEnv = process.env): void {
  if (!Object.keys(environment).some((name) => /^(?:https?|all)_proxy$/i.test(name))) return;
  const given = environment["no_proxy"] ?? environment["NO_PROXY"] ?? "";
  if (given.trim() === "*") return;
  environment["no_proxy"] = [given, ...LOOPBACK].filter((part) => part !== "").join(",");
}

/**
 * Sends the requests of this process through the proxies of the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`).
 * An older Node has this function only as `NODE_USE_ENV_PROXY=1` at its start.
 */
export function useProxies(): void {
  const { setGlobalProxyFromEnv } = http as { setGlobalProxyFromEnv?: () => unknown };
  if (setGlobalProxyFromEnv === undefined) return;
  setGlobalProxyFromEnv();
  // Messages about a server that does not answer name the proxy then.
  process.env["NODE_USE_ENV_PROXY"] = "1";
}
