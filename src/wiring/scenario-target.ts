import type { Fetch, OpenWorld, OpenWorldOptions, ScenarioWorld } from "../scenarios/world.ts";
import { listenForWebhooks } from "../scenarios/receiver-server.ts";

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
