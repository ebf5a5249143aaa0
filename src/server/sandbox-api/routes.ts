import type { ServerEnv } from "../environment.ts";
import type { Hono } from "hono";
import type { Servers } from "../servers.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { actRoutes } from "./acts.ts";
import { adminGuard, foreignPageGuard } from "./guards.ts";
import { clockRoutes } from "./clock.ts";
import { type ControlRoutes, answerRoute } from "./control.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { explorationRoutes } from "./explorations.ts";
import { faultRoutes } from "./faults.ts";
import { planRoutes } from "./plans.ts";
import { requestRoutes } from "./requests.ts";
import { type ScenarioOptions, scenarioRoutes } from "./scenarios.ts";
import { serverRoutes } from "./servers.ts";
import { stateRoutes } from "./state.ts";
import { timelineRoutes } from "./timeline.ts";
import { verificationRoutes } from "./verification.ts";
import { worldRoutes } from "./worlds.ts";

/** What the sandbox's own API takes from other modules, and what protects it. */
export interface ControlOptions extends ScenarioOptions {
  /** The servers of the sandbox, of which this is one. */
  readonly servers: Servers;
  /** Required in the header `x-admin-token` of every request; without it the API is open. */
  readonly adminToken?: string;
}

/** Every endpoint of the sandbox's own API, by method and path below `/sandbox`. */
export function controlRoutes(options: Omit<ControlOptions, "adminToken">): ControlRoutes {
  return {
    ...serverRoutes(options.servers),
    ...worldRoutes(options.servers),
    ...clockRoutes,
    ...actRoutes,
    ...planRoutes,
    ...faultRoutes,
    ...stateRoutes,
    ...deliveryRoutes,
    ...requestRoutes,
    ...verificationRoutes,
    ...timelineRoutes(),
    ...scenarioRoutes(options),
    ...explorationRoutes(),
  };
}

/** Mounts the sandbox's own API under `/sandbox`, behind the admin token where one is set. */
export function mountControl(
  app: Hono<ServerEnv>,
  worlds: Worlds,
  { adminToken, ...options }: ControlOptions,
): void {
  app.use("/sandbox/*", foreignPageGuard(worlds, { anyName: adminToken !== undefined }));
  if (adminToken !== undefined) app.use("/sandbox/*", adminGuard(worlds, adminToken));
  for (const [endpoint, route] of Object.entries(controlRoutes(options))) {
    const [method = "", path = ""] = endpoint.split(" ");
    app.on(method, `/sandbox${path}`, answerRoute(worlds, route));
  }
}
