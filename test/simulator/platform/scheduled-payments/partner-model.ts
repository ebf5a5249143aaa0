import { acceptedSubscription, advanceTo, charges, planSettlement, putCharge } from "./charge.ts";
import { ACME_ACCOUNT, type Answered, type Partner } from "../../../partner.ts";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { Temporal } from "temporal-polyfill";

const STEPS = { WEEKLY: { days: 7 }, MONTHLY: { months: 1 }, QUARTERLY: { months: 3 } } as const;
const AMOUNT = { currency: "BRL", value: "59.90" };

/** The terms of the subscriptions that random commands charge. */
export const TERMS = [
  { frequencyType: "WEEKLY", allowAdjustToBusinessDay: true, startDate: "2027-01-25" },
  { frequencyType: "MONTHLY", allowAdjustToBusinessDay: false, startDate: "2027-01-31" },
  { frequencyType: "QUARTERLY", allowAdjustToBusinessDay: true, startDate: "2027-01-30" },
] as const;

/** What partner, payer and banks may do next. */
export type Command =
  | { readonly do: "charge"; readonly on: number; readonly ahead: number }
  | { readonly do: "retry"; readonly on: number; readonly which: number; readonly ahead: number }
  | { readonly do: "dun"; readonly on: number; readonly times: number }
  | { readonly do: "plan"; readonly outcomes: readonly string[] }
  | { readonly do: "advance"; readonly by: string }
  | { readonly do: "act"; readonly act: string; readonly which: number; readonly fields: object }
  | { readonly do: "end"; readonly on: number }
  | { readonly do: "account"; readonly act: string };

/** A partner that does random things, and knows of each first attempt beforehand whether the rules allow it. */
export class PartnerModel {
  readonly #partner: Partner;
  readonly #ids: readonly string[];
  #asked = 0;
  /** What a first attempt was answered against the rules; the test expects none. */
  readonly surprises: object[] = [];

  private constructor(partner: Partner, ids: readonly string[]) {
    this.#partner = partner;
    this.#ids = ids;
  }

  static async open(partner: Partner): Promise<PartnerModel> {
    const ids: string[] = [];
    for (const [index, terms] of TERMS.entries()) {
      const { id } = await acceptedSubscription(partner, { externalId: `subscription-${index}`, ...terms });
      ids.push(String(id));
    }
    return new PartnerModel(partner, ids);
  }

  async run(command: Command): Promise<void> {
    switch (command.do) {
      case "charge":
        return void (await this.#charge(command.on, command.ahead));
      case "retry": {
        const mine = (await charges(this.#partner)).filter(
          ({ subscriptionId }) => subscriptionId === this.#ids[command.on],
        );
        const original = mine[command.which % Math.max(1, mine.length)]?.["id"] ?? "nobody";
        return void (await this.#retry(command.on, original, command.ahead));
      }
      case "dun":
        return this.#dun(command.on, command.times);
      case "plan":
        return void (await this.#partner.sandbox.plan({
          plan: "scheduled-payment.settlement",
          outcomes: command.outcomes,
        }));
      case "advance":
        return void (await this.#partner.advance(command.by));
      case "act": {
        const all = await charges(this.#partner);
        const id = all[command.which % Math.max(1, all.length)]?.["id"] ?? "nobody";
        return this.#act(`scheduled-payment.${command.act}`, { id, ...command.fields });
      }
      case "end":
        return this.#act("subscription.request-cancellation", {
          id: this.#ids[command.on],
          reason: "REQUESTED_BY_PAYER",
        });
      case "account":
        return this.#act(`account.${command.act}`, { id: ACME_ACCOUNT });
    }
  }

  async #charge(on: number, ahead: number): Promise<Answered> {
    const dueDate = await this.#dayAhead(ahead);
    const allowed = await this.#allows(on, dueDate);
    const answered = await this.#put(on, { dueDate });
    if (allowed !== undefined && allowed !== (answered.status === 200))
      this.surprises.push({ allowed, dueDate, answered: answered.body });
    return answered;
  }

  async #retry(on: number, originalScheduledPaymentId: unknown, ahead: number): Promise<Answered> {
    const purpose = "NEW_ATTEMPT_AFTER_DUE_DATE";
    return this.#put(on, { dueDate: await this.#dayAhead(ahead), purpose, originalScheduledPaymentId });
  }

  /** A payer without money, and a partner who tries again day after day. */
  async #dun(on: number, times: number): Promise<void> {
    const first = await this.#charge(on, 2);
    if (first.status !== 200) return;
    await this.#letDayPass(first.body);
    for (let time = 0; time < times; time++) {
      const retry = await this.#retry(on, first.body["id"], 1);
      if (retry.status !== 200) continue;
      await this.#retry(on, first.body["id"], 3);
      await this.#letDayPass(retry.body);
    }
  }

  async #letDayPass({ id, settlementDate }: SandboxObject): Promise<void> {
    await planSettlement(this.#partner, id, ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCE"]);
    await advanceTo(this.#partner, `${String(settlementDate)} 21:00`);
  }

  #put(on: number, changed: object): Promise<Answered> {
    const externalId = `charge-${this.#asked++}`;
    return putCharge(this.#partner, this.#ids[on], { externalId, amount: AMOUNT, ...changed });
  }

  async #act(act: string, body: object): Promise<void> {
    await this.#partner.ask("POST", `/sandbox/acts/${act}`, { body });
  }

  /**
   * Whether the rules allow a first attempt; undefined where a settlement error of that cycle may yet be resent,
   * which only the timeline shows.
   */
  async #allows(on: number, dueDate: string): Promise<boolean | undefined> {
    const terms = TERMS[on]!;
    const today = await this.#dayAhead(0);
    const due = Temporal.PlainDate.from(dueDate);
    const moves = terms.allowAdjustToBusinessDay && due.dayOfWeek > 5;
    const { days } = Temporal.PlainDate.from(today).until(moves ? due.add({ days: 8 - due.dayOfWeek }) : due);
    if (days < 2 || days > 10 || dueDate < terms.startDate || dueDate < today) return false;
    if (!(await this.#isOpen(on))) return false;
    const cycle = cycleStart(terms, dueDate);
    const rivals = (await charges(this.#partner)).filter(
      (charge) =>
        charge["subscriptionId"] === this.#ids[on] && cycleStart(terms, String(charge["dueDate"])) === cycle,
    );
    if (rivals.some(({ status }) => status !== "REJECTED" && status !== "CANCELED")) return false;
    const mayBeResent = rivals.some(
      ({ cancellationReason, settlementDate }) =>
        cancellationReason === "SETTLEMENT_ERROR" && String(settlementDate) >= today,
    );
    return mayBeResent ? undefined : true;
  }

  /** Whether subscription and account take charges at all. */
  async #isOpen(on: number): Promise<boolean> {
    const read = async (path: string) => (await this.#partner.ask("GET", path)).body["status"];
    const subscription = await read(`/order/v1/banking/subscriptions/${this.#ids[on]}`);
    const account = await read(`/sandbox/resources/accounts/${ACME_ACCOUNT}`);
    return subscription === "ACCEPTED" && account === "ACTIVE";
  }

  async #dayAhead(days: number): Promise<string> {
    const { now } = (await this.#partner.ask("GET", "/sandbox/clock")).body as { now: string };
    const today = Temporal.Instant.from(now).toZonedDateTimeISO("America/Sao_Paulo").toPlainDate();
    return today.add({ days }).toString();
  }
}

/** The first day of the cycle a date falls in, found by counting cycles up from the start. */
function cycleStart({ frequencyType, startDate }: (typeof TERMS)[number], date: string): string {
  const step: { months?: number; days?: number } = STEPS[frequencyType];
  let found: string = startDate;
  for (let index = 1; ; index++) {
    const moved = { months: (step.months ?? 0) * index, days: (step.days ?? 0) * index };
    const next = Temporal.PlainDate.from(startDate).add(moved).toString();
    if (next > date) return found;
    found = next;
  }
}
