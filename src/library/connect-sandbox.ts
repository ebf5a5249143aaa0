import type { ConnectedSandbox, ConnectOptions } from "./sandbox-interface.ts";
import type { World } from "../api/generated/shapes.ts";
import { ADMIN_TOKEN_HEADER } from "../server/guards.ts";
import { readConnectOptions } from "./settings.ts";
import { sentenceOf, worldClient } from "./world-client.ts";
import { WORLD_HEADER } from "../server/request.ts";

/** The original, also where a test replaces the global one later. */
const { fetch } = globalThis;

/**
 * Makes a world of its own on a running server (`sandbank serve`), with the methods of `createSandbox`. `close()`, or
 * the end of an `await using` block, drops the world. Rejects with an `OptionMistake` that names every wrong option,
 * and with a sentence where no sandbox answers at the address.
 *
 * ```ts
 * await using world = await connectSandbox("http://127.0.0.1:4010", { start: "2026-11-20T09:00:00-03:00" });
 * const { token } = world.company("acme");
 * await world.fetch("/order/v1/banking/accounts", { headers: { authorization: `Bearer ${token}` } });
 * await world.act("subscription.accept", { id }); // resolves after the webhooks it caused were attempted
 * ```
 *
 * Requests of `world.fetch` belong to this world whatever token they carry: `acme-token` is that of its company `acme`.
 */
export async function connectSandbox(
  address: string | URL,
  given: ConnectOptions = {},
): Promise<ConnectedSandbox> {
  const { adminToken, keep = false, mode = "frozen", ...made } = readConnectOptions(given);
  const url = baseOf(address);
  const admin: Record<string, string> = adminToken === undefined ? {} : { [ADMIN_TOKEN_HEADER]: adminToken };
  const world = await makeWorld(url, { mode, ...made }, admin);
  const { id, companies } = world;

  const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const sent = isRequest(input) ? input.url : input;
    const { pathname, search } = new URL(sent, url);
    const request = new Request(url + pathname + search, isRequest(input) ? new Request(input, init) : init);
    request.headers.set(WORLD_HEADER, id);
    if (pathname.startsWith("/sandbox/") && adminToken !== undefined)
      request.headers.set(ADMIN_TOKEN_HEADER, adminToken);
    return fetch(request);
  };

  const client = worldClient({
    fetch: send,
    admin,
    companies,
    seed: () => world.seed,
    digest: async () => ((await (await send("/sandbox/digest")).json()) as { digest: string }).digest,
    listen: async (options = {}) => {
      if (Object.keys(options).length === 0) return { url };
      throw new Error(
        `Failed to listen: this sandbox is a world of the server at ${url}. Leave the options out.`,
      );
    },
    close: async () => {
      if (keep) return;
      // A server that has stopped has no world to drop.
      await send(`/sandbox/worlds/${id}`, { method: "DELETE" }).catch(() => undefined);
    },
  });
  return {
    ...client,
    id,
    url,
    dashboard: `${url}/?world=${id}`,
    digest: async () => client.digest(),
  };
}

/** Whatever class of request a client uses: a test environment may have its own. */
function isRequest(input: string | URL | Request): input is Request {
  return typeof input === "object" && "url" in input;
}

/** `http://127.0.0.1:4010`, for any address of the server. */
function baseOf(address: string | URL): string {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:")
    return url.origin + url.pathname.replace(/\/+$/, "");
  throw new Error(
    `Failed to connect to the sandbox at "${String(address)}": it is no http or https address. Use one such as http://127.0.0.1:4010.`,
  );
}

async function makeWorld(
  url: string,
  settings: object,
  admin: Readonly<Record<string, string>>,
): Promise<World> {
  const failed = (found: string): Error => new Error(`Failed to connect to the sandbox at ${url}: ${found}`);
  const request = { method: "POST", headers: admin, body: JSON.stringify(settings) };
  const response = await fetch(`${url}/sandbox/worlds`, request).catch((error: unknown) => {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    const found = `nothing answers there${code === undefined ? "" : ` (${code})`}`;
    throw failed(`${found}. Start a server with "sandbank serve", or correct the address.`);
  });
  const text = await response.text();
  const answer = parsed(text);
  if (response.status === 201 && answer !== undefined) return answer as unknown as World;
  if (answer?.["message"] === undefined)
    throw failed("what answers there is no sandbox. Correct the address.");
  throw failed(sentenceOf(answer));
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
