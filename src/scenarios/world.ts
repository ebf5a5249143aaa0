import type { ScriptedReceiver } from "./receiver.ts";

/** Asks a sandbox something: in process, or over HTTP against `--target`. `path` begins with a slash. */
export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** The world one scenario runs in. Nothing else runs there, and its clock is frozen. */
export interface ScenarioWorld extends AsyncDisposable {
  readonly fetch: Fetch;
  /** The access token of each company, by the company's name; the first one is who calls unless a step says `as`. */
  readonly tokens: { readonly [company: string]: string };
  /** Undefined when the webhooks go to a partner's own endpoint, which no scenario can script. */
  readonly receiver: ScriptedReceiver | undefined;
  /** The digest of the world's journal, where the world can tell. */
  readonly digest?: () => string | Promise<string>;
}

export interface OpenWorldOptions {
  readonly seed?: number;
  readonly start?: string;
  readonly fixtures?: string;
  readonly assumptions?: { readonly [id: string]: unknown };
  /** Null lets the webhooks go where each company wants them. */
  readonly webhookUrl?: string | null;
  readonly origin?: string;
  readonly receiver: ScriptedReceiver;
}

export type OpenWorld = (options: OpenWorldOptions) => Promise<ScenarioWorld>;

/** What a scenario has to know about an operation of the interface in order to call it. */
interface ScenarioOperation {
  readonly method: string;
  /** With its parameters in braces: `/order/v1/banking/subscriptions/{id}`. */
  readonly path: string;
  /** Present when the operation wants the header `idempotency-key`. */
  readonly idempotencyKey?: "uuid" | "text";
  /** False for an operation that is called without a token. */
  readonly authenticated?: boolean;
  /** `oauth` says that the request is a form, as RFC 6749 has it, and not JSON. */
  readonly errorForm?: string;
}

export interface ScenarioOperations {
  readonly [operationId: string]: ScenarioOperation;
}

/** Bodies that `$use` names, nested by dots: `subscription.monthly` is `{ subscription: { monthly: … } }`. */
export interface ScenarioFixtures {
  readonly [name: string]: unknown;
}
