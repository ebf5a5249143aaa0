import type { ServerEnv } from "../../server/environment.ts";
import type { Context, Hono } from "hono";
import type { Reached } from "./states/state-scenario.ts";
import type { NamedState, ProviderStates } from "./states/provider-states.ts";
import type { VerifierRequests } from "./verifier-requests.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { commonHeaders } from "../../server/answer.ts";
import { foundValue } from "../../api/found-value.ts";
import {
  type ControlAnswer,
  type ControlRequest,
  control,
  refuse,
} from "../../server/sandbox-api/control.ts";
import { WORLD_HEADER } from "../../server/request.ts";

export interface PactOptions {
  /** Reads the provider states; called once, at the first request. */
  readonly openStates: () => Promise<ProviderStates>;
  /** Takes over the scenarios that were posted to other servers: a state may be one of them. */
  readonly refresh: () => Promise<void>;
  /** Sends a request to this server. */
  readonly request: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** Learns which world a verifier has put into a state. */
  readonly verifiers: VerifierRequests;
}

/** Mounts the routes that a Pact verifier of any language calls: provider states, and messages. */
export function mountPact(
  app: Hono<ServerEnv>,
  worlds: Worlds,
  { openStates, refresh, request, verifiers }: PactOptions,
): void {
  let opened: Promise<ProviderStates> | undefined;
  async function states(): Promise<ProviderStates> {
    const found = await (opened ??= openStates());
    await refresh();
    return found;
  }

  /** Sends requests to this server in the world of a state, with the admin token of the caller where it has one. */
  function reach(c: Context, world: World): Reached {
    const adminToken = c.req.header("x-admin-token");
    const added = {
      [WORLD_HEADER]: world.id,
      ...(adminToken !== undefined && { "x-admin-token": adminToken }),
    };
    const urlOf = (path: string): string => new URL(path, c.req.url).toString();
    return {
      fetch: async (path, init) => {
        const headers = new Headers(init?.headers);
        for (const [name, value] of Object.entries(added)) headers.set(name, value);
        return request(urlOf(path), { ...init, headers });
      },
    };
  }

  app.get(
    "/sandbox/pact/states",
    control(worlds, async () => ({ data: (await states()).library.all() })),
  );
  app.post("/sandbox/pact/states", (c) =>
    control(worlds, async (request) => {
      // A state that is refused has no request after it.
      verifiers.end(request.world);
      const answer = await changeState(await states(), request, reach(c, request.world));
      if (!isTeardown(request)) verifiers.expect(request.world, { headers: c.req.raw.headers, env: c.env });
      return answer;
    })(c),
  );
  app.post("/sandbox/pact/messages", async (c) => {
    let message: { readonly body: string; readonly metadata: object } | undefined;
    const answered = await control(worlds, async ({ world, body }) => {
      const { MessageRefusal, providerMessage } = await import("./provider-message.ts");
      const request = { description: textOf(body, "description"), providerStates: statesOf(body) };
      try {
        message = await refusing(async () =>
          providerMessage(world, await states(), request, reach(c, world)),
        );
      } catch (error) {
        if (error instanceof MessageRefusal) refuse("description", error.message, "UNKNOWN");
        throw error;
      }
      return {};
    })(c);
    if (message === undefined) return answered;
    const metadata = Buffer.from(JSON.stringify(message.metadata)).toString("base64");
    const headers = {
      "content-type": "application/json",
      "pact-message-metadata": metadata,
      ...commonHeaders(worlds),
    };
    return new Response(message.body, { headers });
  });
}

/** Some verifiers put action and state into the query instead of the body. */
function stateAsked({ body, query }: ControlRequest): Readonly<Record<string, unknown>> {
  return { ...query, ...body };
}

function isTeardown(request: ControlRequest): boolean {
  return stateAsked(request)["action"] === "teardown";
}

/** `POST /sandbox/pact/states` `{action, state, params}`: answers with the values that the state returns. */
async function changeState(
  states: ProviderStates,
  request: ControlRequest,
  reached: Reached,
): Promise<ControlAnswer> {
  const { world } = request;
  const asked = stateAsked(request);
  const action = asked["action"] ?? "setup";
  if (action !== "setup" && action !== "teardown") {
    refuse("action", `action must be setup or teardown; found ${foundValue(action)}.`);
  }
  if (action === "teardown") {
    states.leave(world);
    return {};
  }
  const state = { name: textOf({ state: "", ...asked }, "state"), params: paramsOf(asked["params"]) };
  return refusing(() => states.enter(world, state, reached));
}

/** Turns a refused state into the answer. */
async function refusing<Value>(work: () => Promise<Value>): Promise<Value> {
  const { StateRefusal } = await import("./states/provider-states.ts");
  try {
    return await work();
  } catch (error) {
    if (error instanceof StateRefusal) refuse(error.field, error.message, error.issue);
    throw error;
  }
}

/** Descriptions and states are sentences; each is compared with all that are known. */
const TEXT_LENGTH_MAX = 1_000;

/** States of one message. */
const STATES_MAX = 100;

function textOf(body: Readonly<Record<string, unknown>>, field: string): string {
  const text = body[field];
  if (typeof text === "string" && text.length > TEXT_LENGTH_MAX)
    return refuse(
      field,
      `${field} has at most ${TEXT_LENGTH_MAX} characters; found ${text.length}.`,
      "LIMIT",
    );
  if (typeof text === "string") return text;
  return refuse(
    field,
    `${field} must be a text; found ${text === undefined ? "nothing" : foundValue(text)}.`,
  );
}

function paramsOf(params: unknown): NamedState["params"] {
  if (params === undefined || params === null) return {};
  if (typeof params === "object" && !Array.isArray(params)) return params as NamedState["params"];
  return refuse("params", `params must be an object; found ${foundValue(params)}.`);
}

function statesOf(body: Readonly<Record<string, unknown>>): NamedState[] {
  const { providerStates = [] } = body;
  if (!Array.isArray(providerStates)) {
    return refuse("providerStates", `providerStates must be a list; found ${foundValue(providerStates)}.`);
  }
  if (providerStates.length > STATES_MAX)
    refuse(
      "providerStates",
      `A message has at most ${STATES_MAX} states; found ${providerStates.length}.`,
      "LIMIT",
    );
  return providerStates.map((one: unknown) => {
    const state = (one ?? {}) as Readonly<Record<string, unknown>>;
    return { name: textOf(state, "name"), params: paramsOf(state["params"]) };
  });
}
