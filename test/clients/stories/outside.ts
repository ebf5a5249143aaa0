/** What a story needs besides its client: the sandbox's own API, for what payers, institutions and people do. */
export interface Outside {
  readonly url: string;
  /** Sends what the client made. */
  readonly fetch: typeof globalThis.fetch;
  act(name: string, fields: Readonly<Record<string, unknown>>): Promise<unknown>;
  advance(by: string): Promise<unknown>;
  /** The code that was sent last. */
  lastCode(): Promise<string>;
}

export const ACME_ACCOUNT = "11111111-1111-4111-8111-111111111111";
export const GLOBEX_ACCOUNT = "22222222-2222-4222-8222-222222222222";
export const SCOPE = "api://app-order-prd/.default";

let keys = 0;

/** A new idempotency key, which is a UUID. */
export function newKey(): string {
  return `0f0d6b0e-4a1f-4b7e-8f3f-${String(++keys).padStart(12, "0")}`;
}

export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Failed to play the story: ${what}.`);
}
