import type { OpenWorld, OpenWorldOptions, ScenarioWorld } from "./scenarios/world.ts";
import { listenForWebhooks } from "./scenarios/receiver-server.ts";

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
    assumptions,
  }: OpenWorldOptions): Promise<ScenarioWorld> {
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
  const response = await fetch(`${base}/sandbox/worlds`, { method: "POST", body: JSON.stringify(settings) });
  const answer = (await response.json()) as MadeWorld & { message?: string };
  if (!response.ok)
    throw new Error(`Failed to make a world at ${base}: ${answer.message ?? response.status}`);
  return answer;
}
