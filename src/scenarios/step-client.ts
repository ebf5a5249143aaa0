import type { Answer } from "../partner/partner-request.ts";
import { operations } from "./vocabulary.ts";
import type { ControlCalls } from "../server/control/generated/calls.ts";
import { OWN_AGENT, requestOf } from "../server/control/client.js";
import { isRecord, parsed } from "../simulator/engine/json.ts";
import { StepFailure, refused } from "./step-failure.ts";
import type { ScenarioWorld } from "./world.ts";

/** Sends the requests of steps to a world, with the tokens of its companies. */
export class StepClient {
  readonly #world: ScenarioWorld;
  readonly #renewed = new Map<string | undefined, string>();

  constructor(world: ScenarioWorld) {
    this.#world = world;
  }

  /** Sends a request. Never rejects: without an answer, the body is the reason. */
  async send({
    method,
    path,
    headers = {},
    body,
  }: {
    readonly method: string;
    readonly path: string;
    readonly headers?: { readonly [name: string]: string };
    readonly body?: string;
  }): Promise<Answer> {
    try {
      const response = await this.#world.fetch(path, {
        method,
        headers: { ...headers },
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      return {
        status: response.status,
        // Few steps look at them.
        get headers() {
          return Object.fromEntries(response.headers);
        },
        body: parsed(text),
      };
    } catch (error) {
      return { status: null, headers: {}, body: (error as Error).message };
    }
  }

  /**
   * Calls an endpoint of the sandbox's own API, such as `POST /sandbox/plans`. Returns the answer, also of a refusal.
   */
  control(endpoint: string, input?: object, as?: string | null): Promise<Answer> {
    const { headers, ...request } = requestOf(endpoint, input);
    return this.send({ ...request, headers: { ...this.authorization(as), ...headers } });
  }

  /** Returns the body of the answer of such an endpoint. Throws a `StepFailure` for a refusal. */
  async ask<E extends keyof ControlCalls>(
    endpoint: E,
    input?: ControlCalls[E]["input"] & object,
  ): Promise<ControlCalls[E]["answer"]> {
    const answer = await this.control(endpoint, input);
    const { status } = answer;
    if (status !== null && status >= 200 && status < 300) return answer.body as ControlCalls[E]["answer"];
    const { method, path } = requestOf(endpoint, input);
    throw new StepFailure(refused(`${method} ${path}`, answer), { answer });
  }

  /** Returns the time of the world's clock. */
  async now(): Promise<string> {
    return (await this.ask("GET /sandbox/clock")).now;
  }

  /** Waits until no webhook is in flight, except webhooks that the receiver holds back. The clock does not move. */
  async settle(): Promise<void> {
    const { receiver, settled } = this.#world;
    if (receiver?.holds === true) return;
    if (settled !== undefined) return settled();
    const answer = await this.control("POST /sandbox/clock/advance", { by: "PT0S" });
    if (answer.status !== 200)
      throw new StepFailure(refused("Waiting for webhooks in flight", answer), { answer });
  }

  /** Returns the header with the token of a company, or with `as` itself if it is a token. Empty for null. */
  authorization(as?: string | null): { [header: string]: string } {
    const token = this.#tokenOf(as);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** Gets a new token for a caller, as its client does. Without its secret, or after a refusal, the old token stays. */
  async renewToken(as: string | null | undefined): Promise<void> {
    const { tokens } = this.#world;
    const named = as ?? Object.keys(tokens)[0];
    const id = Object.hasOwn(tokens, named ?? "") ? named : undefined;
    const { data: worlds } = await this.ask("GET /sandbox/worlds");
    const company = worlds
      .flatMap(({ companies }) => companies)
      .find((one) => one.id === id && one.token === tokens[one.id]);
    const { path } = operations.issueToken;
    if (company === undefined) return;
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: company.clientId,
      client_secret: company.clientSecret,
      scope: "api://app-order-prd",
    });
    const headers = { "content-type": "application/x-www-form-urlencoded", "user-agent": OWN_AGENT };
    const { body } = await this.send({ method: "POST", path, headers, body: form.toString() });
    const issued = isRecord(body) ? body["access_token"] : undefined;
    if (typeof issued === "string") this.#renewed.set(company.token, issued);
  }

  /** Returns the newest token of a company; without `as`, of the first company. */
  #tokenOf(as: string | null | undefined): string | undefined {
    if (as === null) return undefined;
    const { tokens } = this.#world;
    const given = as === undefined ? Object.values(tokens)[0] : as;
    const token = as !== undefined && Object.hasOwn(tokens, as) ? tokens[as] : given;
    return this.#renewed.get(token) ?? token;
  }
}
