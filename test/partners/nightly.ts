import type { Place } from "./place.ts";
import type { Values } from "./choices.ts";
import type { PartnerClient } from "../../src/partner/partner-system.ts";
import type { PartnerProcess } from "../../src/partner/partner-process.ts";

interface Pupil {
  state: string;
  at: string;
  isWelcomed: boolean;
}

interface Database {
  pupils: Record<string, Pupil>;
  handled: string[];
}

const START_MS = 30;
const WORK_MS = 40;
const ACCOUNT = "11111111-1111-4111-8111-111111111111";

/** A partner's system that stores subscriptions from webhooks, and pays a bonus for each new one at night. */
export class NightlyPartner {
  readonly #values: Values;
  readonly #place: Place;
  #database: Database = { pupils: {}, handled: [] };
  #life = { isDead: false };

  constructor(values: Values, place: Place) {
    this.#values = values;
    this.#place = place;
  }

  readonly process: PartnerProcess = {
    start: async () => {
      await this.#place.work(START_MS);
      this.#life = { isDead: false };
    },
    kill: async () => void (this.#life.isDead = true),
  };

  readonly probe = (): unknown =>
    Object.entries(this.#database.pupils).map(([id, { state, isWelcomed }]) => ({ id, state, isWelcomed }));

  readonly reset = (): void => {
    this.#life.isDead = true;
    this.#life = { isDead: false };
    this.#database = { pupils: {}, handled: [] };
  };

  readonly receive = async (request: Request): Promise<Response> => {
    const life = this.#life;
    const { marks } = this.#values;
    const { event, data } = (await request.json()) as {
      event: string;
      data?: { id: string; status: string; updatedAt: string };
    };
    // The books of payouts are in another system.
    if (data === undefined) return new Response("{}");
    const mark = `${event} ${data.id} ${data.status} ${data.updatedAt}`;
    await this.#place.work(0.5);
    if (life.isDead) return Response.error();
    const { handled } = this.#database;
    if (handled.includes(mark)) return new Response("{}");
    if (marks === "marks before it works") handled.push(mark);
    const work = this.#store(data, { life, mark });
    if (marks !== "answers before it stores") await work;
    return new Response("{}");
  };

  async #store(
    { id, status, updatedAt }: { id: string; status: string; updatedAt: string },
    { life, mark }: { life: { isDead: boolean }; mark: string },
  ): Promise<void> {
    await this.#place.work(WORK_MS);
    if (life.isDead) return;
    const { pupils, handled } = this.#database;
    if (!handled.includes(mark)) handled.push(mark);
    const known = pupils[id];
    if (known === undefined || known.at <= updatedAt)
      pupils[id] = { state: status, at: updatedAt, isWelcomed: known?.isWelcomed ?? false };
  }

  /** The nightly job. A payout that fails is tried again in the next night. */
  readonly client: PartnerClient = async (_, { fetch }) => {
    const life = this.#life;
    for (const [id, pupil] of Object.entries(this.#database.pupils)) {
      if (pupil.isWelcomed || pupil.state !== "ACCEPTED") continue;
      const answer = await fetch("/order/v1/banking/order-payouts", {
        method: "POST",
        headers: {
          authorization: "Bearer acme-token",
          "content-type": "application/json",
          "idempotency-key": `bonus-${id}`,
        },
        body: JSON.stringify({
          externalId: `bonus-${id}`,
          accountId: ACCOUNT,
          paymentMethod: "PIX",
          paymentData: { pixKey: "ok@pix.example" },
          amount: { currency: "BRL", value: "15.00" },
          description: "A bonus",
        }),
      }).catch(() => undefined);
      if (life.isDead) return Response.error();
      if (answer?.ok === true) pupil.isWelcomed = true;
    }
    return new Response("{}");
  };
}
