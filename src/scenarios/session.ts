import { interpolate } from "./expression.ts";
import type { Difference } from "./expectation.ts";
import { isRecord, shown } from "./source.ts";
import type { Scenario } from "./scenario.ts";
import type { ScenarioOperations, ScenarioWorld } from "./world.ts";

/** No single answer takes longer than this; an `advance` over a year has to fit in. */
const answerLimitMs = 300_000;

export interface Answer {
  /** Null when no answer came. */
  readonly status: number | null;
  readonly headers: { readonly [name: string]: string };
  /** Parsed where it is JSON, else the text; undefined when there is none. */
  readonly body: unknown;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** A step that did not go as the scenario says. The message is whole sentences. */
export class StepFailure extends Error {
  readonly differences: readonly Difference[];
  readonly answer: Answer | undefined;

  constructor(
    message: string,
    details: { differences?: readonly Difference[]; answer?: Answer | undefined } = {},
  ) {
    super(message);
    this.name = "StepFailure";
    this.differences = details.differences ?? [];
    this.answer = details.answer;
  }
}

/** One scenario on its way through one world: what is saved so far, and what has been looked at. */
export class Session {
  readonly scenario: Scenario;
  readonly world: ScenarioWorld;
  readonly operations: ScenarioOperations;
  readonly seed: number;
  readonly values = new Map<string, unknown>();
  /** The deliveries that an `expect` has looked at. */
  readonly seen = new Set<string>();
  /** What `advance` steps brought about since an `expect` last looked. */
  happened: unknown[] = [];
  /** The object that the last step about one was about. */
  subject: string | undefined;

  constructor(
    scenario: Scenario,
    options: { world: ScenarioWorld; operations: ScenarioOperations; seed: number },
  ) {
    this.scenario = scenario;
    this.world = options.world;
    this.operations = options.operations;
    this.seed = options.seed;
  }

  /** `value` with its expressions filled in; the clock is read only for those that need it. */
  async fill<Value>(value: Value): Promise<Value> {
    const wantsTime = /\$\{\s*(?:now|today)\b/.test(JSON.stringify(value) ?? "");
    const clock = wantsTime ? await this.observe("/sandbox/clock") : undefined;
    const now = (clock as { now?: string } | undefined)?.now;
    return interpolate(value, { values: this.values, now }) as Value;
  }

  /** The token of a company, or a token taken as it stands; the first company's unless told, none for null. */
  tokenOf(as: string | null | undefined): string | undefined {
    if (as === null) return undefined;
    if (as === undefined) return Object.values(this.world.tokens)[0];
    return Object.hasOwn(this.world.tokens, as) ? this.world.tokens[as] : as;
  }

  async ask({ method, path, headers = {}, body }: Question): Promise<Answer> {
    try {
      const response = await this.world.fetch(path, {
        method,
        headers: { ...headers },
        redirect: "manual",
        signal: AbortSignal.timeout(answerLimitMs),
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), body: parsed(text) };
    } catch (error) {
      return { status: null, headers: {}, body: (error as Error).message };
    }
  }

  /** Tells the sandbox something about this world. */
  control(path: string, body: unknown, as?: string | null): Promise<Answer> {
    const headers = { ...this.authorization(as), "content-type": "application/json" };
    return this.ask({ method: "POST", path, headers, body: JSON.stringify(body) });
  }

  /** Reads something of the sandbox's own API; undefined for what is not there. */
  async observe(path: string): Promise<unknown> {
    const answer = await this.ask({ method: "GET", path, headers: this.authorization() });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new StepFailure(refused(`GET ${path}`, answer), { answer });
    return answer.body;
  }

  /** Waits until no webhook is in flight, but for those the receiver holds back; the clock stays where it is. */
  async settle(): Promise<void> {
    if (this.world.receiver?.holds === true) return;
    const answer = await this.control("/sandbox/clock/advance", { by: "PT0S" });
    if (answer.status !== 200)
      throw new StepFailure(refused("Waiting for webhooks in flight", answer), { answer });
  }

  authorization(as?: string | null): { [header: string]: string } {
    const token = this.tokenOf(as);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }
}

/** An id, or the id of the answer that was saved. */
export function idOf(value: unknown): string {
  const id = isRecord(value) ? value["id"] : value;
  if (typeof id === "string" || typeof id === "number") return String(id);
  throw new StepFailure(`${shown(value)} is no id and has none. Write \`\${name.id}\`.`);
}

/** A sentence about an answer that is a refusal, with the details the common error body carries. */
export function refused(what: string, answer: Answer): string {
  if (answer.status === null) return `${what} got no answer: ${String(answer.body)}.`;
  const { message, details } = (answer.body ?? {}) as { message?: unknown; details?: unknown };
  const problems = Array.isArray(details) ? (details as { field?: string; description?: string }[]) : [];
  const others = problems.filter(({ description }) => description !== message);
  const told = others.map(({ field, description }) => `${field ?? "?"}: ${description ?? "?"}`);
  const said = typeof message === "string" ? [message, ...told] : [shown(answer.body)];
  const sentence = said.map((part) => part.replace(/\.$/, "")).join("; ");
  return `${what} was answered with ${answer.status}: ${sentence}.`;
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
