/** An amount of money as the platform writes it: a decimal as text, so that it is not rounded. */
export interface Amount {
  readonly currency: "BRL";
  readonly value: string;
}

export interface Person {
  readonly name: string;
  readonly document: { readonly type: "CPF"; readonly number: string };
}

/** A new subscription: its id, and the text of the QR code that the member scans. */
export interface NewSubscription {
  readonly id: string;
  readonly status: string;
  readonly qrcodeData: string;
}

/** One charge of a subscription. */
export interface Charge {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
}

/** The platform refused a request. `details` has one entry for each wrong field. */
export class BankingError extends Error {
  override readonly name = "BankingError";
  readonly status: number;
  readonly details: readonly { readonly field: string; readonly issue: string }[];

  constructor(
    status: number,
    body: { readonly message?: string; readonly details?: BankingError["details"] },
  ) {
    super(`${status}: ${body.message ?? "no message"}`);
    this.status = status;
    this.details = body.details ?? [];
  }
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 10_000;

/** The part of the platform's interface that the gym uses. */
export class BankingService {
  readonly #baseUrl: string;
  readonly #token: string;
  readonly #fetch: Fetch;

  /** `fetch` is for tests with a sandbox in the same process. */
  constructor(options: { readonly baseUrl: string; readonly token: string; readonly fetch?: Fetch }) {
    this.#baseUrl = options.baseUrl;
    this.#token = options.token;
    this.#fetch = options.fetch ?? fetch;
  }

  async createSubscription(subscription: {
    readonly accountId: string;
    readonly externalId: string;
    readonly startDate: string;
    readonly fixedAmount: Amount;
    readonly debtor: Person;
    readonly webhookUrl: string;
  }): Promise<NewSubscription> {
    const body = { type: "AUTHORIZATION_QRCODE", frequencyType: "MONTHLY", ...subscription };
    return this.#send<NewSubscription>("POST", "/order/v1/banking/subscriptions", body);
  }

  /** Safe to repeat: the same externalId and body return the same charge. */
  async createCharge(
    subscriptionId: string,
    charge: { readonly externalId: string; readonly dueDate: string; readonly amount: Amount },
  ): Promise<Charge> {
    return this.#send<Charge>("PUT", `/public/v1/banking/subscriptions/${subscriptionId}/payments`, charge);
  }

  async #send<Answer>(method: string, path: string, body: object): Promise<Answer> {
    const response = await this.#fetch(this.#baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new BankingError(response.status, answer as object);
    return answer as Answer;
  }
}
