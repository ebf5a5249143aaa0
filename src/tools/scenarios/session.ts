import { operations } from "./vocabulary.ts";
import { CommandFailure } from "../../process/failures.ts";
import type { FakePerson } from "../../access/fake-person.ts";
import { hasExpression, interpolate } from "./expression.ts";
import type { Difference } from "./expectation.ts";
import type { Lint } from "../../api/generated/shapes.ts";
import type { ControlCalls } from "../../control/generated/calls.ts";
import { OWN_AGENT, requestOf } from "../../control/client.js";
import { isRecord, parsed } from "../../engine/json.ts";
import { shown } from "./source.ts";
import type { Repetition, Scenario, ScenarioStep } from "./scenario.ts";
import type { ScenarioWorld } from "./world.ts";
import { systemWall, type Wall } from "../wall.ts";

/** `${run}` of a scenario that is run once. */
const FIRST_RUN = "r1";

export interface Answer {
  /** The status. Null if no answer came. */
  readonly status: number | null;
  readonly headers: { readonly [name: string]: string };
  /** The parsed body if it is JSON, otherwise its text. Undefined without a body. */
  readonly body: unknown;
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** A step that failed. The message is whole sentences. */
export class StepFailure extends CommandFailure {
  override readonly name = "StepFailure";
  readonly differences: readonly Difference[];
  readonly answer: Answer | undefined;

  constructor(
    message: string,
    details: { differences?: readonly Difference[]; answer?: Answer | undefined } = {},
  ) {
    super(message);
    this.differences = details.differences ?? [];
    this.answer = details.answer;
  }
}

/** One run of a scenario in a world: the saved values, and the checks so far. */
export class Session {
  readonly scenario: Scenario;
  readonly world: ScenarioWorld;
  /** The time outside the world. */
  readonly wall: Wall;
  readonly seed: number;
  /** True if the calls of the partner's system are checked. */
  readonly isLinted: boolean;
  /** The suspicious calls so far. */
  readonly lints: Lint[] = [];
  /** The start, in wall time. */
  readonly startedMs: number;
  /** The last answer of the partner's system. */
  shown: unknown;
  /** The saved values, and `run`: a short text that differs from run to run. */
  readonly values = new Map<string, unknown>();
  /** The deliveries that an `expect` has checked. */
  readonly seen = new Set<string>();
  /** The timeline entries of `advance` steps that no `expect` has checked yet. */
  happened: unknown[] = [];
  /** The steps so far, with their expressions filled in. */
  readonly taken: ScenarioStep[] = [];
  /** The status of the answer of each step, by its number. */
  readonly statuses = new Map<number, number | null | undefined>();
  /** The repetition of requests without their own setting; default: no repetition. */
  readonly repetition: Repetition | undefined;
  readonly #renewed = new Map<string | undefined, string>();
  /** The newest call of the partner's system when the last `request` began. */
  lastCallId: string | undefined;
  /** The object that the last step with an object was about. */
  subject: string | undefined;
  #personCount = 0;

  constructor(
    scenario: Scenario,
    options: {
      world: ScenarioWorld;
      seed: number;
      run?: string;
      repetition?: Repetition;
      isLinted?: boolean;
    },
  ) {
    this.repetition = options.repetition;
    this.values.set("run", options.run ?? FIRST_RUN);
    this.scenario = scenario;
    this.world = options.world;
    this.wall = options.world.wall ?? systemWall;
    this.startedMs = this.wall.date();
    this.seed = options.seed;
    this.isLinted = options.isLinted === true;
  }

  /** Fills in the expressions of `value`. Reads the clock only if an expression needs it. */
  async fill<Value>(value: Value): Promise<Value> {
    const text = JSON.stringify(value) ?? "";
    if (!hasExpression(text)) return value;
    const needsTime = /\$\{\s*(?:now|today)\b/.test(text);
    const now = needsTime ? await this.now() : undefined;
    const nextPerson = /\$\{\s*fake\b/.test(text) ? await this.#people() : undefined;
    return interpolate(value, { values: this.values, now, nextPerson }) as Value;
  }

  /** Returns the time of the world's clock. */
  async now(): Promise<string> {
    return (await this.ask("GET /sandbox/clock")).now;
  }

  /** Invents the next person of this run. The names are loaded with the first one. */
  async #people(): Promise<() => FakePerson> {
    const { fakePerson } = await import("./fake-person.ts");
    return () => fakePerson(this.seed, ++this.#personCount);
  }

  /**
   * Returns the token of a company, or `as` itself if it is a token. By default the token of the first company.
   * Undefined for null.
   */
  tokenOf(as: string | null | undefined): string | undefined {
    if (as === null) return undefined;
    const given = as === undefined ? Object.values(this.world.tokens)[0] : as;
    const token = as !== undefined && Object.hasOwn(this.world.tokens, as) ? this.world.tokens[as] : given;
    return this.#renewed.get(token) ?? token;
  }

  /** Gets a new token for a caller, as its client does. Without its secret, or after a refusal, the old token stays. */
  async renewToken(as: string | null | undefined): Promise<void> {
    const { tokens } = this.world;
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

  async send(question: Question): Promise<Answer> {
    const { method, path, headers = {}, body } = question;
    try {
      const response = await this.world.fetch(path, {
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

  /** The body of the answer of such an endpoint. Throws a `StepFailure` for a refusal. */
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

  /** Waits until no webhook is in flight, except webhooks that the receiver holds back. The clock does not move. */
  async settle(): Promise<void> {
    if (this.world.receiver?.holds === true) return;
    if (this.world.settled !== undefined) return this.world.settled();
    const answer = await this.control("POST /sandbox/clock/advance", { by: "PT0S" });
    if (answer.status !== 200)
      throw new StepFailure(refused("Waiting for webhooks in flight", answer), { answer });
  }

  authorization(as?: string | null): { [header: string]: string } {
    const token = this.tokenOf(as);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }
}

/** Returns an id, or the id of a saved answer. */
export function idOf(value: unknown): string {
  const id = isRecord(value) ? value["id"] : value;
  if (typeof id === "string" || typeof id === "number") return String(id);
  throw new StepFailure(`${shown(value)} is not an id and has no id. Write \`\${name.id}\`.`);
}

/** Writes a sentence about a refusal, with the details of the common error body. */
export function refused(what: string, answer: Answer): string {
  if (answer.status === null) return `${what} got no answer: ${String(answer.body)}.`;
  const { message, details } = (answer.body ?? {}) as { message?: unknown; details?: unknown };
  const problems = Array.isArray(details) ? (details as { field?: string; description?: string }[]) : [];
  const others = problems.filter(({ description }) => description !== message);
  const detailed = others.map(({ field, description }) => `${field ?? "?"}: ${description ?? "?"}`);
  const parts = typeof message === "string" ? [message, ...detailed] : [shown(answer.body)];
  const sentence = parts.map((part) => part.replace(/\.$/, "")).join("; ");
  const hint = answer.headers["x-sandbox-hint"];
  return `${what} was answered with ${answer.status}: ${sentence}.${hint === undefined ? "" : ` ${hint}`}`;
}
