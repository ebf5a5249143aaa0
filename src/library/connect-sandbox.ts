import type { ResourceViews } from "../simulator/api/vocabulary.ts";
import { controlClient } from "../server/control/client.js";
import { withAccount, worldClient } from "./world-client.ts";
import type { ConnectedSandbox } from "../server/access/sandbox-interface.ts";
import type { ConnectOptions } from "../server/settings/sandbox-options.ts";
import { hasCredentials } from "../server/settings/setting-types.ts";
import { readConnectOptions } from "../server/settings/settings.ts";

/**
 * Makes a separate world on a running server (`sandbank serve`), with the methods of `createSandbox`. `close()`, or
 * the end of an `await using` block, drops the world. Rejects with an `OptionMistake` that names every wrong option.
 * Rejects with a sentence if no sandbox answers at the address.
 *
 * ```ts
 * await using world = await connectSandbox("http://127.0.0.1:4010", { start: "2026-11-20T09:00:00-03:00" });
 * const { token } = world.company("acme");
 * await world.fetch("/order/v1/banking/accounts", { headers: { authorization: `Bearer ${token}` } });
 * await world.advance("P1M"); // resolves after the webhooks of this month were attempted
 * ```
 *
 * Requests of `world.fetch` always belong to this world, with any token: `acme-token` is the token of its company
 * `acme`.
 */
export async function connectSandbox(
  address: string | URL,
  given: ConnectOptions = {},
): Promise<ConnectedSandbox> {
  const { adminToken, keep = false, mode = "frozen", ...made } = readConnectOptions(given);
  const url = baseOf(address);
  // Loaded when used: most tests open their own sandbox.
  const { httpFetch } = await import("../base/http-fetch.ts");
  const reached = { url, fetch: httpFetch, adminToken };
  const created = await controlClient(reached).ask("POST /sandbox/worlds", { mode, ...made });
  const { id, seed } = created;
  const client = controlClient({ ...reached, world: id });
  const { data } = await client.ask("GET /sandbox/resources/{collection}", { collection: "accounts" });
  const active = new Set(
    (data as ResourceViews["accounts"][]).flatMap((account) =>
      account.status === "ACTIVE" ? account.id : [],
    ),
  );
  const companies = created.companies.map((company) => withAccount(company, active));
  const world = worldClient({
    client,
    fetch: (input, init) => {
      const { pathname, search } = new URL(isRequest(input) ? input.url : input, url);
      return client.send(pathname + search, isRequest(input) ? new Request(input, init) : init);
    },
    remote: { url, world: id, ...(adminToken !== undefined && { adminToken }) },
    companies,
    seed: () => seed,
    digest: async () => (await client.ask("GET /sandbox/digest")).digest,
    listen: async (options = {}) => {
      if (Object.keys(options).length === 0) return { url };
      throw new Error(
        `Failed to listen: this sandbox is a world of the server at ${url}. Leave the options out.`,
      );
    },
    close: async () => {
      if (keep) return;
      // A server that has stopped has no world to drop.
      await client.ask("DELETE /sandbox/worlds/{id}", { id }).catch(() => undefined);
    },
  });
  return { ...world, id, url, dashboard: `${url}/?world=${id}`, digest: async () => world.digest() };
}

/** Returns true for any class of request that a client uses: a test environment may have its own. */
function isRequest(input: string | URL | Request): input is Request {
  return typeof input === "object" && "url" in input;
}

/** Returns the base URL for any address of the server, such as `http://127.0.0.1:4010`. */
function baseOf(address: string | URL): string {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  if (url !== undefined && hasCredentials(url))
    throw new Error(
      `Failed to connect to the sandbox at ${url.host}: its URL has a user or a password. Leave the part before the @ out: the header Authorization is for the tokens of the sandbox.`,
    );
  if (url?.protocol === "http:" || url?.protocol === "https:")
    return url.origin + url.pathname.replace(/\/+$/, "");
  throw new Error(
    `Failed to connect to the sandbox at "${String(address)}": it is not an http or https URL. Use a URL such as http://127.0.0.1:4010.`,
  );
}
