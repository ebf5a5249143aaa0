import type { OpenWorld, OpenWorldOptions, ScenarioWorld } from "../scenarios/world.ts";
import { listenForWebhooks } from "../scenarios/receiver-server.ts";

interface MadeWorld {
  readonly id: string;
  readonly companies: readonly { readonly id: string; readonly token: string }[];
}

/** Opens a world of its own for each scenario on a running sandbank. */
export function openWorldsAt(target: string, fixed: { readonly webhookUrl?: string } = {}): OpenWorld {
  const base = target.replace(/\/+$/, "");
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
    const isPartners = fixed.webhookUrl !== undefined;
    const server = isPartners ? undefined : await listenForWebhooks(receiver);
    const world = await makeWorld(base, {
      mode: "frozen",
      webhookUrl: fixed.webhookUrl ?? server?.url,
      ...(seed !== undefined && { seed }),
      ...(start !== undefined && { start }),
      ...(assumptions && { assumptions }),
    });
    const tokens = Object.fromEntries(world.companies.map(({ id, token }) => [id, token]));
    return {
      fetch: (path, init) => fetch(base + path, init),
      tokens,
      receiver: isPartners ? undefined : receiver,
      [Symbol.asyncDispose]: async () => {
        await fetch(`${base}/sandbox/worlds/${world.id}`, { method: "DELETE" });
        await server?.close();
      },
    };
  };
}

async function makeWorld(base: string, settings: object): Promise<MadeWorld> {
  const response = await reach(base, settings);
  const answer = (await response.json()) as MadeWorld & { message?: string };
  if (!response.ok)
    throw new Error(`Failed to make a world at ${base}: ${answer.message ?? response.status}`);
  return answer;
}

async function reach(base: string, settings: object): Promise<Response> {
  try {
    return await fetch(`${base}/sandbox/worlds`, { method: "POST", body: JSON.stringify(settings) });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(`Failed to reach ${base}: ${code ?? message}. Start a server there: sandbank serve.`, {
      cause: error,
    });
  }
}
