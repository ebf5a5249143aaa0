import type { Endpoints } from "./endpoint.ts";
import { actEndpoints } from "./acts.ts";
import { bookEndpoints } from "./books.ts";
import { DEFAULT_WORLD } from "../../simulator/worlds/worlds.ts";
import { clockEndpoints } from "./clock.ts";
import { deliveryEndpoints } from "./deliveries.ts";
import { faultEndpoints } from "./faults.ts";
import { followerEndpoints } from "./followers.ts";
import { lintEndpoints } from "./lints.ts";
import { listenerEndpoints } from "./listeners.ts";
import { planEndpoints } from "./plans.ts";
import { requestEndpoints } from "./requests.ts";
import { serverEndpoints } from "./servers.ts";
import { stateEndpoints } from "./state.ts";
import { timelineEndpoints } from "./timeline.ts";
import { verificationEndpoints } from "./verification.ts";
import { describedServer, worldEndpoints } from "./worlds.ts";

/** Every endpoint of the sandbox's own API, those of tools included, by its operation id. */
export function controlEndpoints(ofTools: Endpoints): Endpoints {
  const endpoints: Endpoints = {
    ...serverEndpoints,
    describeApi: {
      method: "GET",
      path: "/sandbox/openapi.json",
      tag: "Servers",
      summary: "Describe this API",
      description: "The answer is an OpenAPI 3.1 document.",
      access: "admin",
      response: "ApiDescription",
      answer: async ({ world, worlds, url, inbound }) => {
        const { controlDocument } = await import("./openapi.ts");
        return controlDocument(
          endpoints,
          describedServer(world ?? worlds.here(DEFAULT_WORLD), inbound?.head.origin ?? url),
        );
      },
    },
    ...worldEndpoints,
    ...clockEndpoints,
    ...followerEndpoints,
    ...actEndpoints,
    ...planEndpoints,
    ...faultEndpoints,
    ...stateEndpoints,
    ...bookEndpoints,
    ...deliveryEndpoints,
    ...listenerEndpoints,
    ...verificationEndpoints,
    ...requestEndpoints,
    ...lintEndpoints,
    ...timelineEndpoints,
    ...ofTools,
  };
  return endpoints;
}
