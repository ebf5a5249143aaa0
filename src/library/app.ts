import { controlEndpoints } from "../server/control/endpoints.ts";
import type { Endpoints } from "../server/control/endpoint.ts";
import { assumptionEndpoints } from "../checks/calibration/calibrated-assumptions.ts";
import { controlLayer, mountControl } from "../server/control-routes.ts";
import { pactEndpoints, type PactOptions } from "../contracts/pact-endpoints.ts";
import { scenarioEndpoints, type ScenarioOptions } from "../scenarios/scenario-endpoints.ts";
import type { CallFaultListener } from "../server/interface/call-faults.ts";
import type { Route } from "../simulator/api/routes.ts";
import type { OpenedWorlds } from "../server/opened-worlds.ts";
import {
  type Answering,
  type AppLayers,
  type Handler,
  type Layer,
  type LoggedListener,
  type NamedRequest,
  namedOf,
  type RequestHandler,
  type ServerEnv,
} from "../server/environment.ts";
import { Router } from "../server/router.ts";
import { acceptRequests } from "../server/inbound-requests.ts";
import { requestLife } from "../server/request-life.ts";
import { Hono } from "hono";
import { failureAnswer } from "../server/answer.ts";
import { mountDashboard } from "../pages/dashboard.ts";
import { mountGuide } from "../pages/guide.ts";
import { describeInterface } from "../server/interface/description.ts";
import { mountInterface } from "../server/interface/routes.ts";
import { mountPages } from "../pages/payer/routes.ts";
import { mountReferencePage } from "../pages/reference.ts";
import { mountUnknownPath, routesOf } from "../server/unknown-path.ts";

/** All paths of a server. */
interface App {
  /** Answers each request to the server. */
  readonly answer: RequestHandler;
  readonly routes: () => readonly Route[];
}

/** Makes the app with every path of the server, over its worlds. */
export function createApp(
  { worlds, saving, routing, servers }: Pick<OpenedWorlds, "worlds" | "saving" | "routing" | "servers">,
  { layers = {}, adminToken, onCallFault, onLogged, openStates, ...ofTools }: AppOptions,
): App {
  const app = new Hono<ServerEnv>();
  const router = new Router();
  const accept = acceptRequests(worlds, router);
  const request: PactOptions["request"] = (asked) => accept(own)(asked, {});
  const endpoints = sandboxEndpoints(ofTools, { request, openStates });
  const inside = [layers.limiting, controlLayer(worlds, endpoints, adminToken)];
  const answer = layered<NamedRequest>(inside, (named) =>
    // Pages and unknown paths have the routes of Hono.
    named.matched === undefined ? app.fetch(named.request, named) : named.matched.answer(named),
  );
  const own = requestLife({ worlds, saving, answer, onLogged });
  const routes = (): Route[] => [...router.routes, ...routesOf(app)];
  mountInterface(router, worlds, onCallFault);
  mountControl(router, worlds, endpoints, servers);
  layers.mount?.(app);
  const describe = describeInterface(worlds);
  app.get("/openapi.json", (c) => describe(namedOf(c)));
  mountPages(app, worlds);
  mountDashboard(app, worlds);
  mountGuide(app, worlds);
  mountReferencePage(app, worlds, { isOpen: adminToken === undefined, endpoints });
  mountUnknownPath(app, worlds, routes);
  app.onError((error, c) => failureAnswer(worlds, error, namedOf(c)));
  // If worlds may be on other servers, a request is routed first. Then this server may handle it more than once.
  return { answer: withoutBodyOfHead(accept(layered([layers.counting, routing], own))), routes };
}

/** Returns a handler with layers around it. The first layer is the outermost. */
function layered<State>(
  layers: readonly (Layer<State> | undefined)[],
  inner: Handler<State>,
): Handler<State> {
  return layers.reduceRight((answer, layer) => layer?.(answer) ?? answer, inner);
}

/** Leaves out the body of an answer to HEAD. Hono leaves it out of the answers of routes only. */
function withoutBodyOfHead(answer: RequestHandler): RequestHandler {
  return (request, env) =>
    request.method === "HEAD" ? withoutBody(answer(request, env)) : answer(request, env);
}

async function withoutBody(answering: Answering): Promise<Response> {
  const response = await answering;
  return response.body === null ? response : new Response(null, response);
}

/** Returns every endpoint of the sandbox's own API, including the endpoints of tools. */
export function sandboxEndpoints(ofTools: ToolOptions, ofPact: PactOptions): Endpoints {
  return controlEndpoints({
    ...assumptionEndpoints(ofTools),
    ...scenarioEndpoints(ofTools),
    ...pactEndpoints(ofPact),
  });
}

/** Returns every endpoint of the sandbox's own API for its description only. */
export function describedEndpoints(): Endpoints {
  const unused = (): never => {
    throw new Error("Only the description of the endpoint is used here.");
  };
  return sandboxEndpoints(
    { recordingOf: unused, openScenarios: unused },
    { openStates: unused, request: unused },
  );
}

/** The parts of the endpoints that tools serve. */
interface ToolOptions extends ScenarioOptions {
  /** The report of `sandbank calibrate` whose results the assumptions show. */
  readonly calibrationReport?: string | undefined;
}

export interface AppOptions extends ToolOptions, Pick<PactOptions, "openStates"> {
  readonly layers?: AppLayers;
  /** The token that requests under `/sandbox` must send. Without it they need no token. */
  readonly adminToken?: string | undefined;
  readonly onCallFault?: CallFaultListener | undefined;
  readonly onLogged?: LoggedListener | undefined;
}
