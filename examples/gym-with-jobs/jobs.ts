import { BankingService } from "../partner/banking-service.ts";
import { CronJob } from "cron";
import { Gym } from "../partner/gym.ts";

const TIME_ZONE = "America/Sao_Paulo";
const DAY_MS = 86_400_000;

/** A token is renewed this long before it expires. */
const RENEWAL_MS = 5 * 60_000;
const RETRY_MS = 30_000;
const ATTEMPTS_MAX = 5;

interface Options {
  readonly bankUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accountId: string;
  readonly webhookUrl: string;
}

/**
 * The jobs of a gym. It charges every month. It writes reminders one day before the due date, and one, three and seven
 * days after it. It reconciles every night at 03:00 in Brasília. It repeats failed calls, and renews its token before
 * the token expires. It uses only `Date`, `setTimeout` and a cron library, and does not depend on the sandbox.
 */
export class GymWithJobs {
  readonly gym: Gym;
  /** The log of all jobs, with the time of the gym's own clock. */
  readonly log: string[] = [];
  readonly #options: Options;
  #token: { readonly text: string; readonly expiresAt: number } | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { accountId, webhookUrl, bankUrl } = options;
    const bank = new BankingService({
      baseUrl: bankUrl,
      token: "",
      fetch: (url, init) => this.#fetch(url, init),
    });
    this.gym = new Gym({ bank, accountId, webhookUrl });
  }

  start(): void {
    this.#note("start");
    CronJob.from({
      cronTime: "0 0 3 * * *",
      timeZone: TIME_ZONE,
      start: true,
      onTick: () => void this.#reconcile(),
    });
  }

  /** Signs a member up, and charges every month from the next month on. */
  async join(cpf: string, { dueDay, months }: { dueDay: number; months: number }): Promise<string> {
    const member = { name: "Maria da Silva", document: { type: "CPF", number: cpf } } as const;
    const from = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    const { subscriptionId } = await this.gym.join(member, from);
    this.#note(`joined ${cpf}`);
    for (let ahead = 1; ahead <= months; ahead++) {
      const due = dayOfMonth(dueDay, ahead);
      const [year, number] = due.split("-");
      this.#at(due, -5, () => this.#charge(subscriptionId, `${year}-${number}`, due));
    }
    return subscriptionId;
  }

  async #charge(subscriptionId: string, month: string, due: string): Promise<void> {
    const charge = await this.gym.charge(subscriptionId, month, due);
    this.#note(`charged ${month}`);
    const remind = (what: string) => async (): Promise<void> => this.#note(`${what} ${month}`);
    this.#at(due, -1, remind("reminder D-1"));
    for (const days of [1, 3, 7]) {
      this.#at(due, days, async () => {
        if (!this.gym.isPaid(charge)) await remind(`dunning D+${days}`)();
      });
    }
  }

  async #reconcile(): Promise<void> {
    const { bankUrl } = this.#options;
    const answer = await this.#fetch(`${bankUrl}/order/v1/banking/accounts`, {});
    const { data } = (await answer.json()) as { data: readonly object[] };
    this.#note(`reconciled ${data.length} accounts`);
  }

  /** Runs a job at nine in the morning in Brasília, this many days from a date. */
  #at(date: string, days: number, job: () => Promise<void>): void {
    const at = new Date(Date.parse(`${date}T09:00:00-03:00`) + days * DAY_MS);
    CronJob.from({ cronTime: at, start: true, onTick: () => void job() });
  }

  /** Sends a request with a valid token. If it fails, sends it again half a minute later. */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const authorization = `Bearer ${await this.#validToken()}`;
      const headers = { ...(init.headers as Record<string, string>), authorization };
      const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(10_000) }).catch(
        () => undefined,
      );
      if (answer !== undefined && answer.status < 500) return answer;
      if (attempt === ATTEMPTS_MAX) throw new Error(`${url} failed ${ATTEMPTS_MAX} times`);
      this.#note(`retry ${attempt}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #validToken(): Promise<string> {
    if (this.#token !== undefined && this.#token.expiresAt - RENEWAL_MS > Date.now()) return this.#token.text;
    const { bankUrl, clientId, clientSecret } = this.#options;
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: "api://app-order-prd/.default",
    });
    const answer = await fetch(`${bankUrl}/oauth2/v2.0/token`, { method: "POST", body });
    const token = (await answer.json()) as { access_token: string; expires_in: number };
    this.#token = { text: token.access_token, expiresAt: Date.now() + token.expires_in * 1000 };
    this.#note("token");
    return this.#token.text;
  }

  #note(what: string): void {
    this.log.push(`${new Date().toISOString()} ${what}`);
  }
}

/** A day of a later month, this many months ahead. */
function dayOfMonth(day: number, months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day)).toISOString().slice(0, 10);
}
