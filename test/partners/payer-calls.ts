import type { Place } from "./place.ts";
import type { Values } from "./choices.ts";

/** What a process has in its memory. */
export interface Life {
  isDead: boolean;
  isWorking: boolean;
  token: string;
  fetch: typeof fetch | undefined;
  /** The keys of orders whose keys are not stored. */
  readonly keys: Record<string, string>;
  /** The amounts of orders that wait. */
  readonly queue: Record<string, string>;
  readonly handled: string[];
}

export function newLife(): Life {
  return {
    isDead: false,
    isWorking: false,
    token: "acme-token",
    fetch: undefined,
    keys: {},
    queue: {},
    handled: [],
  };
}

/** A call to the platform. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/** The status of an answer, null without an answer, and the time that the platform asks to wait. */
export interface Answered {
  readonly status: number | null;
  readonly retryAfterMs: number;
}

/** How long a system that repeats refusals goes on. */
const TRIES_MAX = 250;

/** The designs that repeat a call with status 429: how often, and after which share of Retry-After. */
const LIMITED: Readonly<Record<string, { readonly tries: number; readonly share: number }>> = {
  "takes Retry-After for milliseconds": { tries: 3, share: 0.001 },
  "repeats a 429 at once": { tries: 3, share: 0 },
  "waits for Retry-After once": { tries: 1, share: 1 },
};

const NO_ANSWER: Answered = { status: null, retryAfterMs: 0 };

/** Sends a call, and repeats it as the design does. */
export async function send(
  { method, path, body, key }: Call,
  { life, place, values: { calls } }: { life: Life; place: Place; values: Values },
): Promise<Answered> {
  const limited = LIMITED[calls];
  for (let tried = 0; tried < TRIES_MAX && !life.isDead; tried++) {
    const headers = {
      authorization: `Bearer ${life.token}`,
      "content-type": "application/json",
      "idempotency-key": key,
    };
    let answer: Response | undefined;
    try {
      await place.work(0.2);
      if (life.isDead) break;
      answer = await life.fetch?.(path, { method, headers, body: JSON.stringify(body) });
      await place.work(0.2);
    } catch {
      return NO_ANSWER;
    }
    const status = answer?.status ?? null;
    const retryAfterMs = Number(answer?.headers.get("retry-after") ?? 0) * 1000;
    const isRefused = status !== null && status >= 400 && status < 500;
    if (calls === "repeats a 4xx" && isRefused) continue;
    if (limited !== undefined && status === 429 && tried < limited.tries)
      await place.sleep(retryAfterMs * limited.share);
    else if (status === 401 && tried === 0 && calls !== "keeps an old token") await renew(life);
    else return { status, retryAfterMs };
  }
  return NO_ANSWER;
}

async function renew(life: Life): Promise<void> {
  try {
    const answer = await life.fetch?.("/oauth2/v2.0/token", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api://app-order-prd",
    });
    const { access_token: token } = (answer === undefined ? {} : await answer.json()) as {
      access_token?: string;
    };
    if (token !== undefined) life.token = token;
  } catch {
    // The next call is refused, so the order is tried again.
  }
}

/** Returns true if the platform has a payout of this name. */
export async function isThere(externalId: string, life: Life): Promise<boolean> {
  const headers = { authorization: `Bearer ${life.token}` };
  const answer = await life.fetch?.("/sandbox/resources/payouts", { headers });
  const { data = [] } = (answer === undefined ? {} : await answer.json()) as {
    data?: { externalId: string }[];
  };
  return data.some((payout) => payout.externalId === externalId);
}
