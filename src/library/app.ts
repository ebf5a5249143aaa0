import type { Metrics } from "../server/metrics.ts";
import type { ProviderStates } from "../tools/pact/states/provider-states.ts";
import type { ScenarioLibrary } from "../tools/scenarios/scenario-library.ts";
import type { VerifierRequests } from "../tools/pact/verifier-requests.ts";
import { BodiesInHand } from "../server/request.ts";
import { BODIES_IN_HAND, unavailable } from "../server/unavailable.ts";
import { answerInbound } from "../server/inbound-requests.ts";
import { DEFAULT_WORLD, type Worlds } from "../worlds/worlds.ts";
import { Hono } from "hono";
import { LongWork } from "../process/long-work.ts";
import { internalError } from "../server/answer.ts";
import { type ControlOptions, mountControl } from "../server/sandbox-api/routes.ts";
import { mountDashboard } from "../pages/dashboard.ts";
import { mountInterface } from "../server/interface/routes.ts";
import { mountPact } from "../tools/pact/pact-routes.ts";
import { mountPages } from "../pages/payer/routes.ts";
import { mountReferencePage } from "../pages/reference.ts";
import { mountUnknownPath } from "../server/unknown-path.ts";
import { StorageFailure, WorldLost } from "../storage/storage.ts";
import { answeringDirectly } from "./direct-requests.ts";
import { SharedRoutes } from "../server/shared-routes.ts";

/** Every path of the server, over its worlds. */
export function createApp(
  worlds: Worlds,
  { states, verifiers, metrics, ...control }: Omit<ControlOptions, "openScenarios"> & StatesOptions,
): Hono {
  // Hono would try its RegExpRouter first, which refuses `/:tenant/…` next to `/order/…`.
  const app = new Hono({ router: new SharedRoutes() });
  if (metrics !== undefined) app.get("/metrics", () => metrics.answer());
  mountInterface(app, worlds);
  mountControl(app, worlds, control);
  const inWorld = answerInbound(worlds, app.fetch);
  const answerNested = verifiers.answering(inWorld);
  mountPact(app, worlds, {
    request: (url, init) => answerNested(new Request(url, init)),
    answer: answeringDirectly(inWorld),
    openStates: () => openStates({ states, openScenarios: control.openScenarios }),
    refresh: async () => (await control.openScenarios()).refresh(),
    verifiers,
  });
  mountPages(app, worlds);
  mountDashboard(app, worlds);
  mountReferencePage(app, worlds, { isOpen: control.adminToken === undefined });
  mountUnknownPath(app, worlds);
  app.onError((error, c) => {
    // A new world that could not be stored: the layer that stores worlds answers it.
    if (error instanceof StorageFailure || error instanceof WorldLost) throw error;
    if (error instanceof BodiesInHand) return unavailable(worlds, BODIES_IN_HAND, { "retry-after": "1" });
    return internalError({ world: worlds.here(DEFAULT_WORLD), error, c });
  });
  return app;
}

export interface StatesOptions {
  readonly metrics: Metrics | undefined;
  readonly verifiers: VerifierRequests;
  readonly states: readonly string[];
  readonly openScenarios: () => Promise<ScenarioLibrary>;
}

/**
 * Provider states are scenarios, which serving does without: they are loaded when a verifier asks, and their modules
 * in turns.
 */
async function openStates({
  states,
  openScenarios,
}: Pick<StatesOptions, "states" | "openScenarios">): Promise<ProviderStates> {
  const work = new LongWork();
  await import("../tools/scenarios/parse.ts");
  await work.nextTurn();
  const { providerStates } = await import("../tools/pact/states/shipped-states.ts");
  await work.nextTurn();
  const scenarios = await openScenarios();
  return providerStates(states, scenarios);
}
