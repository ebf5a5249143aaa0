import { type Endpoint, type WorldAsked, refuse, Reply } from "../server/control/endpoint.ts";
import type { AskedState, ProviderStates } from "./states/provider-states.ts";
import type { Fetch } from "../base/proxy.ts";
import type { StateRequest } from "../simulator/api/generated/shapes.ts";
import { defined } from "../simulator/engine/json.ts";
import { isDeepStrictEqual } from "node:util";
import { suggestion } from "../simulator/engine/suggestion.ts";
import { foundValue } from "../simulator/api/found-value.ts";
import { ADMIN_TOKEN_HEADER, controlClient } from "../server/control/client.js";

export interface PactOptions {
  /** Reads the provider states; called once, at the first request. */
  readonly openStates: () => Promise<ProviderStates>;
  /** Sends a request to this server. */
  readonly request: (request: Request) => Response | Promise<Response>;
}

/** The endpoints that a Pact verifier of any language calls: provider states, and messages. */
export function pactEndpoints({ openStates, request }: PactOptions) {
  let opened: Promise<ProviderStates> | undefined;
  async function states(): Promise<ProviderStates> {
    const found = await (opened ??= openStates());
    await found.library.refresh();
    return found;
  }

  /** Sends requests to this server in the world of a state, with the admin token of the caller if it has one. */
  function reach({ world, headers, url }: WorldAsked): Fetch {
    const adminToken = headers.get(ADMIN_TOKEN_HEADER) ?? undefined;
    return controlClient({ url: new URL(url).origin, fetch: request, adminToken, world: world.id }).send;
  }

  return {
    listProviderStates: {
      method: "GET",
      path: "/sandbox/pact/states",
      tag: "Tools",
      summary: "List the provider states",
      response: "ProviderStateList",
      answer: async () => ({ data: (await states()).library.all() }),
    } satisfies Endpoint,
    enterProviderState: {
      method: "POST",
      path: "/sandbox/pact/states",
      tag: "Tools",
      summary: "Put the world into a provider state, or out of it",
      description:
        "For Pact verifiers in any language, see [contracts.md](contracts.md). Answers with the values that the state returns. Some verifiers put action and state into the query instead of the body.",
      request: "StateRequest",
      response: "StateValues",
      answer: async (asked) => {
        const { world } = asked;
        const { action = "setup", state = "", params } = stateAsked(asked);
        if (action !== "setup" && action !== "teardown")
          refuse("action", `action must be setup or teardown; found ${foundValue(action)}.`);
        if (action === "teardown") {
          (await states()).leave(world);
          return {};
        }
        const named = { name: textOf(state, "state"), params: paramsOf(params) };
        const known = await states();
        return known.enter(world, named, reach(asked));
      },
    } satisfies Endpoint<"StateRequest">,
    showMessage: {
      method: "POST",
      path: "/sandbox/pact/messages",
      tag: "Tools",
      summary: "Make the message that a consumer's pact describes",
      description:
        "For Pact verifiers in any language, see [contracts.md](contracts.md). The header `pact-message-metadata` contains the headers of the webhook.",
      request: "MessageRequest",
      response: "AnyObject",
      answer: async (asked) => {
        const { world, body } = asked;
        const { providerMessage } = await import("./provider-message.ts");
        const described = {
          description: textOf(body.description, "description"),
          providerStates: statesOf(body),
        };
        const message = await providerMessage(world, await states(), described, reach(asked));
        const metadata = Buffer.from(JSON.stringify(message.metadata)).toString("base64");
        const headers = { "content-type": "application/json", "pact-message-metadata": metadata };
        return new Reply(message.body, { headers });
      },
    } satisfies Endpoint<"MessageRequest">,
  };
}

/** The fields of a request for a state. `consumer` and `states` come from older verifiers, beside `state`. */
const STATE_FIELDS = ["action", "state", "params", "consumer", "states"];

/**
 * Returns the requested state. Some verifiers put action, state and params into the query instead of the body. There,
 * each other name is a param.
 */
function stateAsked({ body, query }: WorldAsked<StateRequest>): StateRequest {
  const unknown = Object.keys(body).find((name) => !STATE_FIELDS.includes(name));
  if (unknown !== undefined)
    refuse(unknown, `${unknown} is not a field of this request. ${suggestion(unknown, STATE_FIELDS)}`);
  const { action, state, consumer: _, ...params } = query as Readonly<Record<string, string>>;
  const asked = { ...defined({ action, state }), ...body } as StateRequest;
  const { states } = body as { readonly states?: unknown };
  const isOther = states !== undefined && !isDeepStrictEqual(states, [asked.state]);
  if (isOther)
    refuse("states", "states is not supported. Send one request for each state, with its name in state.");
  const isInQuery = Object.keys(params).length > 0;
  return isInQuery ? { ...asked, params: { ...params, ...paramsOf(asked.params) } } : asked;
}

/** Descriptions and states are sentences. Each is compared with all known sentences. */
const TEXT_LENGTH_MAX = 1_000;

/** States of one message. */
const STATES_MAX = 100;

function textOf(text: unknown, field: string): string {
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

function paramsOf(params: unknown): AskedState["params"] {
  if (params === undefined || params === null) return {};
  if (typeof params === "object" && !Array.isArray(params)) return params as AskedState["params"];
  return refuse("params", `params must be an object; found ${foundValue(params)}.`);
}

function statesOf(body: Readonly<Record<string, unknown>>): AskedState[] {
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
    return { name: textOf(state["name"], "name"), params: paramsOf(state["params"]) };
  });
}
