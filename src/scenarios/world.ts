import type { ScriptedReceiver } from "./receiver.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox } from "../sandbox.ts";
import { transportTo } from "../webhooks/in-process.ts";
import { once } from "node:events";
import { createServer } from "node:http";

/** Asks a sandbox something: in process, or over HTTP against `--target`. `path` begins with a slash. */
export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** The world one scenario runs in. Nothing else runs there, and its clock is frozen. */
export interface ScenarioWorld extends AsyncDisposable {
  readonly fetch: Fetch;
  /** The access token of each company, by the company's name; the first one is who calls unless a step says `as`. */
  readonly tokens: { readonly [company: string]: string };
  /** Undefined when the webhooks go to a partner's own endpoint, which no scenario can script. */
  readonly receiver: ScriptedReceiver | undefined;
  /** The digest of the world's journal, where the world can tell. */
  readonly digest?: () => string | Promise<string>;
}

export interface OpenWorldOptions {
  readonly seed?: number;
  readonly start?: string;
  readonly fixtures?: string;
  readonly assumptions?: { readonly [id: string]: unknown };
  /** Null lets the webhooks go where each company wants them. */
  readonly webhookUrl?: string | null;
  readonly origin?: string;
  readonly receiver: ScriptedReceiver;
}

export type OpenWorld = (options: OpenWorldOptions) => Promise<ScenarioWorld>;

/** What a scenario has to know about an operation of the interface in order to call it. */
interface ScenarioOperation {
  readonly method: string;
  /** With its parameters in braces: `/order/v1/banking/subscriptions/{id}`. */
  readonly path: string;
  /** Present when the operation wants the header `idempotency-key`. */
  readonly idempotencyKey?: "uuid" | "text";
  /** False for an operation that is called without a token. */
  readonly authenticated?: boolean;
  /** `oauth` says that the request is a form, as RFC 6749 has it, and not JSON. */
  readonly errorForm?: string;
}

export interface ScenarioOperations {
  readonly [operationId: string]: ScenarioOperation;
}

/** Bodies that `$use` names, nested by dots: `subscription.monthly` is `{ subscription: { monthly: … } }`. */
export interface ScenarioFixtures {
  readonly [name: string]: unknown;
}

/** Where the webhooks of a scenario go when they go nowhere in particular. */
const RECEIVER_URL = "http://receiver.example/webhooks";

/** Opens a sandbox in this process for each scenario, with the scenario's own receiver in place of the network. */
export function openWorldsHere(fixed: { readonly webhookUrl?: string } = {}): OpenWorld {
  return async function openWorld({
    receiver,
    origin = "",
    webhookUrl = RECEIVER_URL,
    ...options
  }: OpenWorldOptions): Promise<ScenarioWorld> {
    const isPartners = fixed.webhookUrl !== undefined;
    const everywhere = fixed.webhookUrl ?? webhookUrl;
    const sandbox = await createSandbox({
      ...options,
      mode: "frozen",
      ...(everywhere !== null && { webhookUrl: everywhere }),
      ...(!isPartners && { transport: transportTo(receiver) }),
    });
    return {
      fetch: (path, init) => sandbox.fetch(origin + path, init),
      tokens: { acme: "acme-token", globex: "globex-token", initech: "initech-token" },
      receiver: isPartners ? undefined : receiver,
      digest: () => sandbox.digest(),
      [Symbol.asyncDispose]: () => sandbox.close(),
    };
  };
}

interface MadeWorld {
  readonly id: string;
  readonly companies: readonly { readonly id: string; readonly token: string }[];
}

interface TargetOptions {
  /** An endpoint of the partner's own, in place of the built-in receiver. */
  readonly webhookUrl?: string;
  /** What guards the server's own API, where it is guarded. */
  readonly adminToken?: string;
}

/** Opens a world of its own for each scenario on a running sandbank. */
export function openWorldsAt(target: string, { webhookUrl, adminToken }: TargetOptions = {}): OpenWorld {
  const base = target.replace(/\/+$/, "");
  const ask: Fetch = (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (adminToken !== undefined && path.startsWith("/sandbox/")) headers.set("x-admin-token", adminToken);
    return fetch(base + path, { ...init, headers });
  };
  return async function openWorld({
    receiver,
    seed,
    start,
    fixtures,
    assumptions,
  }: OpenWorldOptions): Promise<ScenarioWorld> {
    if (fixtures !== undefined) {
      throw new Error(
        `Failed to make a world at ${base}: the scenario brings fixtures of its own, and a running server has those it was started with. Run it without --target, or start the server with --fixtures.`,
      );
    }
    const server = webhookUrl === undefined ? await listenForWebhooks(receiver) : undefined;
    try {
      const world = await makeWorld(base, ask, {
        mode: "frozen",
        webhookUrl: webhookUrl ?? server?.url,
        ...(seed !== undefined && { seed }),
        ...(start !== undefined && { start }),
        ...(assumptions && { assumptions }),
      });
      const tokens = Object.fromEntries(world.companies.map(({ id, token }) => [id, token]));
      return {
        fetch: ask,
        tokens,
        receiver: server === undefined ? undefined : receiver,
        [Symbol.asyncDispose]: async () => {
          // A server that is gone has dropped the world by itself; its scenario has failed by then.
          await ask(`/sandbox/worlds/${world.id}`, { method: "DELETE" }).catch(() => undefined);
          await server?.close();
        },
      };
    } catch (error) {
      await server?.close();
      throw error;
    }
  };
}

async function makeWorld(base: string, ask: Fetch, settings: object): Promise<MadeWorld> {
  const response = await reach(base, ask, settings);
  const text = await response.text();
  const answer = isJson(text) ? (JSON.parse(text) as MadeWorld & { message?: string }) : undefined;
  if (response.status === 401) {
    const message = answer?.message ?? "the admin token is missing.";
    throw new Error(`Failed to make a world at ${base}: ${message} Set it in SANDBANK_ADMIN_TOKEN.`);
  }
  if (!response.ok || answer?.companies === undefined) {
    const found = answer?.message ?? `it answered with ${response.status}, which no sandbank does.`;
    throw new Error(`Failed to make a world at ${base}: ${found}`);
  }
  return answer;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function reach(base: string, ask: Fetch, settings: object): Promise<Response> {
  try {
    return await ask("/sandbox/worlds", { method: "POST", body: JSON.stringify(settings) });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(`Failed to reach ${base}: ${code ?? message}. Start a server there: sandbank serve.`, {
      cause: error,
    });
  }
}

/** Gives the built-in receiver an address on this machine, for a sandbox that runs elsewhere. */
export async function listenForWebhooks(
  receiver: ScriptedReceiver,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  // A request that breaks off never came: there is nobody to answer and nothing to remember.
  const server = createServer(
    (request, response) => void receive(receiver, request, response).catch(() => {}),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}/webhooks`, close };
}

async function receive(
  receiver: ScriptedReceiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const answer = await receiver.receive({
    url: request.url ?? "/",
    headers,
    body: Buffer.concat(chunks).toString("utf8"),
  });
  if (!("error" in answer)) response.writeHead(answer.status, answer.headers).end(answer.body);
  // A timeout is no answer at all: the sender's deadline ends the connection.
  else if (answer.error !== "timeout") request.socket.resetAndDestroy();
}
