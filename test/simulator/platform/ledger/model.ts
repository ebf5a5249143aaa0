/** A pay-in order as the model sees it. */
export interface ModelOrder {
  readonly id: string;
  readonly account: string;
  readonly minor: number;
  /** Null where it is not paid by PIX. */
  readonly qrcodeData: string | null;
  /** Whether it can be paid in parts; a first charge is paid in full. */
  readonly isDivisible: boolean;
  paid: number;
  /** `refunded` after the first refund: then nothing more can be paid. */
  status: "open" | "part" | "paid" | "over" | "refunded";
}

export type RefundOutcome = "REFUNDED" | "REJECTED" | "ERROR";

/** A refund, in progress or ended. */
export interface ModelRefund {
  readonly id: string;
  readonly order: ModelOrder;
  readonly minor: number;
  /** Whether the balance was sufficient when it was requested; otherwise it will be rejected. */
  readonly isFunded: boolean;
  outcome: RefundOutcome | null;
}

export type PayoutOutcome = "PAID" | "ERROR" | "CANCELED";

/** One transaction of a payout; a payout that is not split has one. */
export interface ModelTransaction {
  readonly minor: number;
  outcome: PayoutOutcome | null;
}

export interface ModelPayout {
  readonly id: string;
  readonly account: string;
  /** The account of the sandbox that receives the money, if it is one. */
  readonly to: string | null;
  /** The order whose QR code is paid, if it is one. */
  readonly order: ModelOrder | null;
  readonly transactions: readonly ModelTransaction[];
}

interface Due {
  readonly at: number;
  readonly happen: () => void;
}

export function isPayable({ status }: ModelOrder): boolean {
  return status === "open" || status === "part";
}

/** What a test expects about money: a few numbers, and no code of the sandbox. */
export class MoneyModel {
  readonly available: Map<string, number>;
  readonly orders: ModelOrder[] = [];
  readonly refunds: ModelRefund[] = [];
  readonly payouts: ModelPayout[] = [];
  /** Milliseconds since the sandbox's start. */
  #now = 0;
  #due: Due[] = [];
  #made = 0;

  constructor(available: Iterable<readonly [string, number]>) {
    this.available = new Map(available);
  }

  /** A unique code. */
  newCode(): string {
    return `made-${++this.#made}`;
  }

  balance(account: string): number {
    return this.available.get(account) ?? 0;
  }

  credit(account: string, minor: number): void {
    this.available.set(account, this.balance(account) + minor);
  }

  /** Plans something for a later time. */
  after(delayMs: number, happen: () => void): void {
    this.#due.push({ at: this.#now + delayMs, happen });
  }

  /** Advances the time: what is due happens in the order of its times, and then of its planning. */
  advance(byMs: number): void {
    this.#now += byMs;
    const due = this.#due.filter(({ at }) => at <= this.#now).sort((left, right) => left.at - right.at);
    this.#due = this.#due.filter(({ at }) => at > this.#now);
    for (const { happen } of due) happen();
  }

  open(order: ModelOrder): ModelOrder {
    this.orders.push(order);
    return order;
  }

  payOrder(order: ModelOrder, minor: number): void {
    order.paid += minor;
    order.status = order.paid < order.minor ? "part" : "paid";
    this.credit(order.account, minor);
  }

  /** The amount of an order that can still be refunded; a refund that failed frees its amount. */
  refundable(order: ModelOrder): number {
    return this.refunds
      .filter((refund) => refund.order === order)
      .filter(({ outcome }) => outcome === null || outcome === "REFUNDED")
      .reduce((left, { minor }) => left - minor, order.paid);
  }

  endRefund(refund: ModelRefund, outcome: RefundOutcome): void {
    refund.outcome = outcome;
    if (outcome === "REFUNDED") refund.order.status = "refunded";
    else if (refund.isFunded) this.credit(refund.order.account, refund.minor);
  }

  /** Ends one transaction of a payout: its money arrives, or is returned. */
  endTransaction(payout: ModelPayout, transaction: ModelTransaction, outcome: PayoutOutcome): void {
    transaction.outcome = outcome;
    if (outcome !== "PAID") this.credit(payout.account, transaction.minor);
    else if (payout.order !== null) this.payOrder(payout.order, transaction.minor);
    else if (payout.to !== null) this.credit(payout.to, transaction.minor);
  }
}
