/** A call. It is stored before it is sent. A repeat with the same key is carried out only once. */
export interface BankingCall {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: object;
  readonly key?: string;
}

/** The platform refused a call, and did nothing. `details` has one entry for each wrong field. */
export class BankingError extends Error {
  override readonly name = "BankingError";
  readonly status: number;
  readonly details: readonly { readonly field: string; readonly issue: string }[];

  constructor(
    status: number,
    body: { readonly message?: string; readonly details?: BankingError["details"] } | readonly string[],
  ) {
    const { message = "no message", details = [] } = "join" in body ? { message: body.join(" ") } : body;
    super(`${status}: ${message}`);
    this.status = status;
    this.details = details;
  }
}

/** The outcome of a call is unknown, or the platform asks for a later call: the call must be sent again. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
  readonly retryAfterSeconds: number;

  constructor(found: string, retryAfterSeconds = 1) {
    super(`The platform gave no answer that counts: ${found}.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 10_000;

/** Answers of 4xx that do not refuse the call itself. */
const ASKS_AGAIN: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Sends calls to the platform. */
export class BankingService {
  readonly #baseUrl: string;
  readonly #client: { readonly id: string; readonly secret: string } | undefined;
  readonly #fetch: Fetch;
  #token: string | undefined;

  /** Needs a token, or a client that gets one. `fetch` is for tests with a sandbox in the same process. */
  constructor(options: {
    readonly baseUrl: string;
    readonly token?: string;
    readonly client?: { readonly id: string; readonly secret: string };
    readonly fetch?: Fetch;
  }) {
    this.#baseUrl = options.baseUrl;
    this.#token = options.token;
    this.#client = options.client;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Rejects with a `BankingError` if the platform did nothing, and with `OutcomeUnknown` if the outcome is unknown. */
  async send<Answer>(call: BankingCall): Promise<Answer> {
    let response = await this.#request(call);
    if (response.status === 401 && this.#client !== undefined) {
      this.#token = undefined;
      response = await this.#request(call);
    }
    const { status, ok } = response;
    const isRefused = status >= 400 && status < 500 && !ASKS_AGAIN.has(status);
    if (!ok && !isRefused) throw new OutcomeUnknown(String(status), retryAfterOf(response));
    const answer = await response.json().catch((error: Error) => {
      throw new OutcomeUnknown(error.message);
    });
    if (isRefused) throw new BankingError(status, answer as object);
    return answer as Answer;
  }

  async #request({ method, path, body, key }: BankingCall): Promise<Response> {
    this.#token ??= await this.#newToken();
    const headers = {
      authorization: `Bearer ${this.#token}`,
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": key }),
    };
    return this.#answer(path, { method, headers, body: JSON.stringify(body) });
  }

  async #newToken(): Promise<string> {
    const { id = "", secret = "" } = this.#client ?? {};
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
      scope: "api://app-order-prd/.default",
    });
    const response = await this.#answer("/oauth2/v2.0/token", { method: "POST", body });
    if (!response.ok) throw new OutcomeUnknown(`${response.status} for a new token`, retryAfterOf(response));
    return ((await response.json()) as { readonly access_token: string }).access_token;
  }

  async #answer(path: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(this.#baseUrl + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      throw new OutcomeUnknown((error as Error).message);
    }
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after"));
  return seconds > 0 ? seconds : undefined;
}
