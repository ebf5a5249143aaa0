import type { AddressInfo } from "node:net";
import type { PostgresServer } from "./postgres-server.ts";
import type { SandboxOptions } from "../../../src/server/settings/sandbox-options.ts";
import { payoutBody } from "../../partner.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { createServer } from "node:http";
import { join } from "node:path";
import { once } from "node:events";
import { type ChildProcess, spawn } from "node:child_process";

/** A `sandbank serve` in a process of its own, as one server of several. */
export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote to its log so far. */
  log(): string;
  /** Sends a signal and waits for the end; returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface Started {
  readonly data: string;
  readonly flags?: readonly string[];
}

/** Starts a server and waits until it listens. Ends it with the test through `onEnd`. */
export async function startServer(
  { data, flags = [] }: Started,
  onEnd: (end: () => void) => void,
): Promise<ServerProcess> {
  const { child, log } = launch({ data, flags }, onEnd);
  const exit = once(child, "exit").then(() => {
    throw new Error(`the server ended: ${log()}`);
  });
  const [line] = (await Promise.race([once(child.stdout!, "data"), exit])) as [string];
  exit.catch(() => undefined);
  return {
    url: /http:\S+/.exec(line)?.[0] ?? "",
    child,
    log,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

const MAIN = join(import.meta.dirname, "../../../src/cli/main.ts");

/** Starts a server without waiting for it. */
export function launch(
  { data, flags = [] }: Started,
  onEnd: (end: () => void) => void,
): { readonly child: ChildProcess; readonly log: () => string } {
  const child = spawn(
    process.execPath,
    [MAIN, "serve", "--port", "0", "--frozen", "--start", "2026-11-20T09:00:00-03:00", ...flags],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, SANDBANK_DATA: data } },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.stdout.setEncoding("utf8");
  onEnd(() => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  });
  return { child, log: () => log };
}

/** A server in this process; it is closed through `onEnd`. */
export async function serve(
  { url: data }: Pick<PostgresServer, "url">,
  options: SandboxOptions & { readonly dataSchema: string },
  onEnd: (end: () => Promise<void>) => void,
): Promise<string> {
  const sandbox = await createSandbox({ data: data(), start: "2026-11-20T09:00:00-03:00", ...options });
  const { url } = await sandbox.listen();
  onEnd(() => sandbox.close());
  return url;
}

interface Asked {
  readonly body?: object;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** How a partner asks a server. */
export async function ask(
  url: string,
  method: string,
  path: string,
  { body, token = "acme-token", headers = {} }: Asked = {},
): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith("{") ? JSON.parse(text) : { text }) as Record<string, unknown>,
  };
}

/** Makes a world, and returns its id with the token of its company. */
export async function makeWorld(url: string, made: object = {}): Promise<{ id: string; token: string }> {
  const { status, body } = await ask(url, "POST", "/sandbox/worlds", { token: null, body: made });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  const id = String(body["id"]);
  return { id, token: `acme-token.${id}` };
}

/** Orders a payout of a cent, with its name as the idempotency key. */
export function pay(url: string, externalId: string, token = "acme-token"): Promise<Answered> {
  return ask(url, "POST", "/order/v1/banking/order-payouts", {
    token,
    headers: { "idempotency-key": externalId },
    body: centPayout(externalId),
  });
}

/** A payout of a cent. */
export function centPayout(externalId: string): object {
  return payoutBody({ externalId, amount: { currency: "BRL", value: "0.01" }, description: externalId });
}

/** The payouts of a world, as the sandbox keeps them. */
export async function payoutsOf(url: string, token = "acme-token"): Promise<Payout[]> {
  const { status, body } = await ask(url, "GET", "/sandbox/resources/payouts", { token });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body["data"] as Payout[];
}

interface Payout {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
}

/** A receiver on a port, with the events that it got about each payout. It is closed through `onEnd`. */
export interface PayoutReceiver {
  readonly url: string;
  readonly events: ReadonlyMap<string, ReadonlySet<string>>;
}

export async function startReceiver(onEnd: (end: () => void) => void): Promise<PayoutReceiver> {
  const events = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { event, code } = JSON.parse(body) as { event: string; code: string };
      events.set(code, (events.get(code) ?? new Set()).add(event));
      response.end('{"returnCode":"OK"}');
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, events };
}
