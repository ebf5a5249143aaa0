import { known } from "../../../src/core/assertion.ts";

/** A pay-in order as the model sees it. */
export interface ModelOrder {
  readonly id: string;
  readonly account: string;
  readonly minor: number;
  readonly expiresAt: number;
  status: "open" | "paid" | "over";
}

export type RefundOutcome = "REFUNDED" | "REJECTED" | "ERROR";

/** A refund on its way, or ended. */
export interface ModelRefund {
  readonly id: string;
  readonly order: ModelOrder;
  readonly minor: number;
  readonly dueAt: number;
  /** What the institutions were planned to answer. */
  readonly planned: RefundOutcome;
  /** Whether the balance sufficed when it was asked for; else it is bound to be rejected. */
  readonly isFunded: boolean;
  outcome: RefundOutcome | null;
}

/** All that a test believes about money: a few numbers, and none of the sandbox's own code. */
export class MoneyModel {
  /** Milliseconds since the sandbox's start. */
  now = 0;
  /** How many objects were made; names what is to be unique. */
  made = 0;
  readonly available: Map<string, number>;
  readonly orders: ModelOrder[] = [];
  readonly refunds: ModelRefund[] = [];

  constructor(available: Iterable<readonly [string, number]>) {
    this.available = new Map(available);
  }

  credit(account: string, minor: number): void {
    this.available.set(account, known(this.available.get(account), `the account ${account}`) + minor);
  }

  /** What of an order can still be refunded. */
  refundable(order: ModelOrder): number {
    if (order.status !== "paid") return 0;
    const asked = this.refunds.filter((refund) => refund.order === order && isCounted(refund));
    return asked.reduce((left, { minor }) => left - minor, order.minor);
  }

  endRefund(refund: ModelRefund, outcome: RefundOutcome): void {
    refund.outcome = outcome;
    if (outcome !== "REFUNDED" && refund.isFunded) this.credit(refund.order.account, refund.minor);
  }

  /** Time moves on: what is due happens. */
  advance(byMs: number): void {
    this.now += byMs;
    for (const refund of this.refunds) {
      if (refund.outcome === null && refund.dueAt <= this.now) {
        const isStopped = refund.planned === "REFUNDED" && !refund.isFunded;
        this.endRefund(refund, isStopped ? "REJECTED" : refund.planned);
      }
    }
    for (const order of this.orders) {
      if (order.status === "open" && order.expiresAt <= this.now) order.status = "over";
    }
  }
}

/** A refund that failed frees its amount. */
function isCounted({ outcome }: ModelRefund): boolean {
  return outcome === null || outcome === "REFUNDED";
}
