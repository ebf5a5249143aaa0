import {
  type Amount,
  type NewOrder,
  type NewSubscription,
  type Person,
  newCharge,
  newOrder,
  newPayout,
  newRefund,
  newSubscription,
} from "./banking-calls.ts";
import { type BankingCall, BankingError, type BankingService } from "./banking-service.ts";
import type { PlatformEvent } from "./platform-event.ts";
import { Store } from "./store.ts";
import { randomUUID } from "node:crypto";

const inReais = (value: string): Amount => ({ currency: "BRL", value });

const MONTHLY_FEE = inReais("59.90");

/** Final statuses: if two events have the same time, the event with a final status is the later one. */
const FINAL: ReadonlySet<string> = new Set([
  "REJECTED",
  "CANCELED",
  "ERROR",
  "COMPLETED",
  "CANCELED_INSUFFICIENT_BALANCE",
]);

/** A request of the gym to the platform. It is stored before it is sent, and gets its answer afterwards. */
interface Task {
  readonly call: BankingCall;
  readonly answer?: { readonly id: string };
}

/** A gym with monthly members. It sells day passes, and pays its trainers. */
export class Gym {
  readonly #bank: BankingService;
  readonly #accountId: string;
  readonly #webhookUrl: string;
  readonly #tasks;
  /** The newest event of each object, also of an object that the gym does not know yet. */
  readonly #newest;
  /** Every event that was handled, by its key. */
  readonly #handled;
  /** The month of each charge of the gym, by the id of the charge. */
  readonly #months;
  /** The last charge of a chain that the platform resends, by the charge that the gym created. */
  readonly #resends;
  /** Tasks that wait for their answer: two requests at the same moment are one call. */
  readonly #running = new Map<string, Promise<{ readonly id: string }>>();

  constructor(options: {
    readonly bank: BankingService;
    readonly accountId: string;
    readonly webhookUrl: string;
    readonly store?: Store;
  }) {
    this.#bank = options.bank;
    this.#accountId = options.accountId;
    this.#webhookUrl = options.webhookUrl;
    const store = options.store ?? new Store();
    this.#tasks = store.table<Task>("tasks");
    this.#newest = store.table<PlatformEvent>("newest");
    this.#handled = store.table<PlatformEvent>("handled");
    this.#months = store.table<{ readonly subscriptionId: string; readonly month: string }>("months");
    this.#resends = store.table<string>("resends");
  }

  /**
   * Signs a member up from a day on. The member scans the QR code with a banking app. The platform takes no key here
   * and lists no subscriptions. So if the answer is lost, the QR code is lost, and the gym makes another subscription.
   */
  async join(
    member: Person,
    from: string,
  ): Promise<{ readonly subscriptionId: string; readonly qrcode: string }> {
    const name = `member-${member.document.number}`;
    for (let attempt = 1; ; attempt++) {
      const externalId = attempt === 1 ? name : `${name}-${attempt}`;
      try {
        const { id, qrcodeData } = await this.#do<NewSubscription>(`join ${externalId}`, () =>
          newSubscription({
            accountId: this.#accountId,
            externalId,
            startDate: from,
            fixedAmount: MONTHLY_FEE,
            debtor: member,
            webhookUrl: this.#webhookUrl,
          }),
        );
        return { subscriptionId: id, qrcode: qrcodeData };
      } catch (error) {
        const isTaken =
          error instanceof BankingError && error.details.some(({ field }) => field === "externalId");
        if (!isTaken) throw error;
      }
    }
  }

  /** Charges a month. A second call for the same month does not charge again, because the externalId is the same. */
  async charge(subscriptionId: string, month: string, dueDate: string): Promise<string> {
    const externalId = `${subscriptionId}-${month}`;
    const { id } = await this.#do(`charge ${externalId}`, () =>
      newCharge(subscriptionId, { externalId, dueDate, amount: MONTHLY_FEE }),
    );
    this.#months.set(id, { subscriptionId, month });
    return id;
  }

  /** Sells a day pass. The sale has a name: the same name is the same pass. */
  async sell(pass: string, value: string, visitor: Person): Promise<NewOrder> {
    const order = { externalId: pass, amount: inReais(value), notificationUrl: this.#webhookUrl };
    return this.#do<NewOrder>(`sell ${pass}`, () => newOrder(visitor, order));
  }

  /** Refunds the price of a pass, or a part of it, once. */
  async refund(pass: string, amount: string): Promise<string> {
    const orderId = this.#tasks.get(`sell ${pass}`)?.answer?.id ?? "";
    const requestedBy = { name: "Ana Lima", email: "ana@gym.example" };
    const body = { orderId, amount, reason: "The visitor was ill", requestedBy };
    return (await this.#do(`refund ${pass}`, () => newRefund(body))).id;
  }

  /** Pays an invoice of a trainer once. */
  async pay(invoice: string, value: string, pixKey: string): Promise<string> {
    const payout = {
      externalId: invoice,
      accountId: this.#accountId,
      paymentData: { pixKey },
      amount: inReais(value),
      description: invoice,
    };
    return (await this.#do(`pay ${invoice}`, () => newPayout(payout))).id;
  }

  /** Sends calls with an unknown outcome again: a job of every night. */
  async catchUp(): Promise<void> {
    for (const [name, { call, answer }] of this.#tasks.entries())
      if (answer === undefined) await this.#do(name, () => call).catch(() => undefined);
  }

  /**
   * Does a task once. The call is stored with its key before it is sent. So the same call is sent again after a lost
   * answer, an error, or a kill. A refused task is forgotten, because the platform did nothing.
   */
  async #do<Answer extends { readonly id: string }>(
    name: string,
    newCall: () => BankingCall,
  ): Promise<Answer> {
    const known = this.#tasks.get(name);
    if (known?.answer !== undefined) return known.answer as Answer;
    const call = known?.call ?? { ...newCall(), key: randomUUID() };
    this.#tasks.set(name, { call });
    const running = this.#running.get(name) ?? this.#send(name, call);
    this.#running.set(name, running);
    return (await running) as Answer;
  }

  async #send(name: string, call: BankingCall): Promise<{ readonly id: string }> {
    try {
      const answer = await this.#bank.send<{ readonly id: string }>(call);
      this.#tasks.set(name, { call, answer });
      return answer;
    } catch (error) {
      if (error instanceof BankingError) this.#tasks.delete(name);
      throw error;
    } finally {
      this.#running.delete(name);
    }
  }

  /** Handles an event at most once. It can come twice, late, out of order, or before the answer to its request. */
  hear(event: PlatformEvent): "processed" | "duplicate" {
    if (this.#handled.get(event.key) !== undefined) return "duplicate";
    const newest = this.#newest.get(event.id);
    if (newest === undefined || isLater(event, newest)) this.#newest.set(event.id, event);
    if (event.rootId !== undefined) this.#resends.set(event.rootId, event.id);
    // This is the last line: after an earlier kill the event comes again, and is handled again.
    this.#handled.set(event.key, event);
    return "processed";
  }

  /** True if the member has authorized the payments and has not canceled. */
  isActive(subscriptionId: string): boolean {
    return this.#newest.get(subscriptionId)?.status === "ACCEPTED";
  }

  /** True if a month is paid, by the charge of the gym or by its resend of the platform. */
  isPaid(chargeId: string): boolean {
    return [chargeId, this.#resends.get(chargeId)].some(
      (id) => id !== undefined && this.#newest.get(id)?.status === "COMPLETED",
    );
  }

  /** The state of the gym, for people and for the probe of the receiver checks. */
  get books(): object {
    const objects = this.#newest
      .entries()
      .map(([id, { name, status, at }]) => [id, { event: name, status, at }] as const);
    const processed: Record<string, number> = {};
    for (const [, { id }] of this.#handled.entries()) processed[id] = (processed[id] ?? 0) + 1;
    const months = this.#months.entries().map(([id, charge]) => ({ ...charge, isPaid: this.isPaid(id) }));
    const payouts = this.#tasksOf("pay").map(({ reference, amount, id = "" }) => {
      return { reference, amount, status: this.#newest.get(id)?.status ?? "PENDING" };
    });
    return { objects: Object.fromEntries(objects) as object, months, processed, payouts, ...this.#sums() };
  }

  /** The sums of payments, refunds and payouts, from the events and from the gym's own requests. */
  #sums(): object {
    const events = this.#handled.entries().map(([, event]) => event);
    const paid = events.filter(({ name }) => name === "ORDER-PAYIN.PAID");
    const refunded = events.filter(({ name }) => name === "ORDER-PAYIN.REFUNDED");
    const refunds = new Map(this.#tasksOf("refund").map(({ id, amount }) => [id, amount]));
    const paidOut = this.#newest.entries().filter(([, { name }]) => name === "ORDER-PAYOUT.PAID");
    return {
      received: sumOf(paid.map(({ amount }) => amount)),
      refunded: sumOf(refunded.map(({ refundId }) => refunds.get(refundId))),
      paidOut: sumOf(paidOut.map(([, { amount }]) => amount)),
    };
  }

  /** The tasks of one kind: their subject, the amount and, after the answer, the id of the object. */
  #tasksOf(kind: string): { readonly reference: string; readonly amount: string; readonly id?: string }[] {
    const ofKind = this.#tasks.entries().filter(([name]) => name.startsWith(`${kind} `));
    return ofKind.map(([name, { call, answer }]) => {
      const { amount } = call.body as { readonly amount: Amount | string };
      const value = typeof amount === "string" ? amount : amount.value;
      return { reference: name.slice(kind.length + 1), amount: value, ...(answer && { id: answer.id }) };
    });
  }
}

/** Adds amounts up in cents, because floats lose cents. */
function sumOf(amounts: readonly (string | undefined)[]): string {
  const cents = amounts.reduce((sum, amount = "0.00") => sum + Number(amount.replace(".", "")), 0);
  return (cents / 100).toFixed(2);
}

/** Orders by time, then final statuses last, then by name. So any order of arrival gives the same result. */
function isLater(event: PlatformEvent, than: PlatformEvent): boolean {
  return rank(event) > rank(than);
}

function rank({ at, status, name }: PlatformEvent): string {
  return `${at} ${FINAL.has(status) ? 1 : 0} ${name}`;
}
