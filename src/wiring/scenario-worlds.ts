import type { OpenWorld, OpenWorldOptions, ScenarioWorld } from "../scenarios/world.ts";
import type { SandboxOptions } from "../sandbox-interface.ts";
import { createSandbox } from "../sandbox.ts";
import { transportTo } from "../webhooks/in-process.ts";

/** Where the webhooks of a scenario go when they go nowhere in particular. */
const RECEIVER_URL = "http://receiver.example/webhooks";

/** Opens a sandbox in this process for each scenario, with the scenario's own receiver in place of the network. */
export function openWorldsHere(fixed: Partial<Pick<SandboxOptions, "webhookUrl" | "audit">> = {}): OpenWorld {
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
      ...(fixed.audit && { audit: fixed.audit }),
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
