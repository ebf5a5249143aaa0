import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { once } from "node:events";

/** One planted booking error; none is the right partner. */
export const bugs = [
  "refund-error-for-order-error",
  "net-for-gross",
  "resend-twice",
  "part-refund-as-whole",
  "refused-refund-counted",
  "failed-refund-counted",
  "batch-child-twice",
  "cents-lost",
  "sum-of-floats",
  "return-not-taken-back",
  "day-in-utc",
  "first-charge-forgotten",
  "part-payment-ignored",
  "part-payment-twice",
  "failed-payout-counted",
  "canceled-payout-counted",
  "second-refund-dropped",
  "charge-twice",
  "resent-charge-ignored",
  "same-payout-for-a-copy",
  "expired-order-counted",
  "pesos-as-reais",
  "payers-fees-counted",
  "thousands-cut",
] as const;
export type Bug = (typeof bugs)[number];

interface Event {
  readonly event: string;
  readonly type?: string;
  readonly id: string;
  readonly refundId?: string;
  readonly code?: string;
  readonly updatedAt: string;
  readonly message?: string;
  readonly paidAt?: string | null;
  readonly amount?: { readonly currency: string; readonly value: string };
  readonly subscription?: { readonly id: string };
  readonly scheduledPayment?: { readonly id: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

type Sums = Record<string, number>;

/** An object of the platform, as `/sandbox/resources` shows it. */
type Resource = Readonly<Record<string, unknown>>;

/**
 * The books of a partner: what came in, went back and was paid out, by object, in the smallest unit. It reads the
 * objects that the scenario made for it from the sandbox, as it would from its own database.
 */
export class Bookkeeper {
  readonly #bug: Bug | undefined;
  readonly #resource: (path: string) => Promise<Resource>;
  readonly #received = new Map<string, { currency: string; minor: number; day: string }>();
  readonly #refunded = new Map<string, { currency: string; minor: number }>();
  readonly #paidOut = new Map<string, { minor: number; state: string; code: string }>();
  readonly #floats: { received: number } = { received: 0 };
  readonly #seen = new Set<string>();
  #extra = 0;

  constructor(resource: (path: string) => Promise<Resource>, bug?: Bug) {
    this.#resource = resource;
    this.#bug = bug;
  }

  async handle(event: Event): Promise<void> {
    const { type, event: name } = event;
    if (name.startsWith("ORDER-PAYOUT.")) return this.#payout(event);
    if (type === "PAY-IN") return this.#payIn(event);
    if (type === "REFUND") return this.#refund(event);
    if (this.#bug === "charge-twice" && name === "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED")
      this.#received.set(name + String(event.data?.["id"]), {
        currency: "BRL",
        minor: 5990,
        day: "2026-11-25",
      });
  }

  async #payIn(event: Event): Promise<void> {
    const { event: name, id, amount = { currency: "BRL", value: "0" }, updatedAt } = event;
    const bug = this.#bug;
    if (name === "ORDER-PAYIN.PARTIALLY_PAID" && bug === "part-payment-ignored") return;
    const isPaid = name === "ORDER-PAYIN.PAID" || name === "ORDER-PAYIN.PARTIALLY_PAID";
    if (!isPaid && !(name === "ORDER-PAYIN.EXPIRED" && bug === "expired-order-counted")) return;
    if (
      bug === "first-charge-forgotten" &&
      event.subscription !== undefined &&
      event.scheduledPayment === undefined
    )
      return;
    if (bug === "resent-charge-ignored" && event.scheduledPayment !== undefined) {
      const charge = await this.#resource(`scheduled-payments/${event.scheduledPayment.id}`);
      if (charge["purpose"] === "RESEND_DUE_TO_SETTLEMENT_ERROR") return;
    }
    const order = await this.#resource(`orders/${id}`);
    const due = order["amount"] as { value: string } | undefined;
    const paid = minorOf(amount.value);
    const charged = Object.values((order["fees"] ?? {}) as Record<string, string | { value: string }>);
    const fees = charged.reduce((sum, fee) => sum + minorOf(typeof fee === "string" ? fee : fee.value), 0);
    // The payer bears the fees: what is paid beyond the amount of the order is fees first.
    let minor = paid - Math.min(Math.max(paid - minorOf(due?.value ?? amount.value), 0), fees);
    if (bug === "payers-fees-counted") minor = paid;
    if (bug === "net-for-gross") minor -= 150;
    if (bug === "cents-lost") minor = Math.trunc(Number(amount.value) * 100);
    if (bug === "thousands-cut") minor %= 100_000;
    this.#floats.received += Number(amount.value);
    const currency = bug === "pesos-as-reais" ? "BRL" : amount.currency;
    const at = new Date(Date.parse(updatedAt) - (bug === "day-in-utc" ? 0 : 3 * 3_600_000));
    const before = this.#received.get(id);
    const isAgain = before !== undefined && this.#seen.has(`${name} ${id}`);
    this.#seen.add(`${name} ${id}`);
    const isAdded =
      before !== undefined &&
      ((bug === "resend-twice" && isAgain) || (bug === "part-payment-twice" && name === "ORDER-PAYIN.PAID"));
    const sum = isAdded ? before.minor + minor : minor;
    this.#received.set(id, { currency, minor: sum, day: at.toISOString().slice(0, 10) });
  }

  async #refund({ event: name, id, refundId = "" }: Event): Promise<void> {
    const bug = this.#bug;
    if (name === "ORDER-PAYIN.ERROR" && bug === "refund-error-for-order-error") {
      this.#received.delete(id);
      return;
    }
    const counts =
      name === "ORDER-PAYIN.REFUNDED" ||
      (name === "ORDER-PAYIN.REJECTED" && bug === "refused-refund-counted") ||
      (name === "ORDER-PAYIN.ERROR" && bug === "failed-refund-counted");
    if (!counts) return;
    const key = bug === "second-refund-dropped" ? id : refundId;
    if (bug === "second-refund-dropped" && this.#refunded.has(key)) return;
    const refund = await this.#resource(`refunds/${refundId}`);
    const order = await this.#resource(`orders/${id}`);
    const whole = order["amount"] as { currency: string; value: string };
    const value = bug === "part-refund-as-whole" ? whole.value : String(refund["amount"]);
    const currency = bug === "pesos-as-reais" ? "BRL" : whole.currency;
    this.#refunded.set(key, { currency, minor: minorOf(value) });
  }

  async #payout({ event: name, id, code = "", amount, message = "" }: Event): Promise<void> {
    const bug = this.#bug;
    const state = name.slice("ORDER-PAYOUT.".length);
    const payout = await this.#resource(`payouts/${id}`);
    const batch = payout["batch"] as { paidAmount: string; transactions: { amount: string }[] } | undefined;
    let minor = state === "PAID" ? minorOf(amount?.value ?? "0") : minorOf(batch?.paidAmount ?? "0");
    const [, back] = /^([\d.]+) BRL came back/.exec(message) ?? [];
    if (back !== undefined && batch === undefined) minor = minorOf(amount?.value ?? "0") - minorOf(back);
    if (state === "ERROR" && bug === "failed-payout-counted") minor = minorOf(amount?.value ?? "0");
    if (state === "CANCELED" && bug === "canceled-payout-counted") minor = minorOf(amount?.value ?? "0");
    if (bug === "batch-child-twice") minor += minorOf(batch?.transactions[0]?.amount ?? "0");
    const isCopy = Array.from(this.#paidOut.values()).some((one) => one.minor === minor);
    if (bug === "same-payout-for-a-copy" && isCopy) minor = 0;
    // Money that comes back does not change how the payout ended.
    const ended = back === undefined ? undefined : this.#paidOut.get(id)?.state;
    this.#paidOut.set(id, { minor, state: ended ?? state, code });
  }

  get state(): object {
    const received = sumOf(this.#received.values());
    const days: Record<string, string> = {};
    for (const { day, minor } of this.#received.values())
      days[day] = decimal(minorOf(days[day] ?? "0") + minor);
    const paid = Array.from(this.#paidOut.values()).reduce((sum, { minor }) => sum + minor, this.#extra);
    return {
      received: this.#bug === "sum-of-floats" ? this.#floats.received : received,
      refunded: sumOf(this.#refunded.values()),
      paidOut: decimal(paid),
      days,
      payouts: Array.from(this.#paidOut.values(), ({ code, state }) => ({
        code,
        state: state.toLowerCase(),
      })),
    };
  }
}

function minorOf(value: string): number {
  const [whole = "0", fraction = ""] = value.split(".");
  return Number(whole + fraction.padEnd(2, "0"));
}

function decimal(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function sumOf(rows: Iterable<{ currency: string; minor: number }>): Record<string, string> {
  const sums: Sums = {};
  for (const { currency, minor } of rows) sums[currency] = (sums[currency] ?? 0) + minor;
  return Object.fromEntries(Object.entries(sums).map(([currency, minor]) => [currency, decimal(minor)]));
}

/** A partner's system with books at `/books`, whose sandbox is at a port. */
export async function openBookkeeper(
  port: number,
): Promise<AsyncDisposable & { readonly url: string; begin(bug?: Bug): void }> {
  const resource = async (path: string): Promise<Resource> => {
    const answer = await fetch(`http://127.0.0.1:${port}/sandbox/resources/${path}`, {
      headers: { connection: "close" },
    });
    return (await answer.json()) as Resource;
  };
  let keeper = new Bookkeeper(resource);
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.method === "GET") return answer(200, keeper.state);
    if (request.url === "/reset") {
      keeper = new Bookkeeper(resource);
      return answer(200, {});
    }
    json(request)
      .then((event) => keeper.handle(event as Event))
      .then(
        () => answer(200, { returnCode: "OK" }),
        () => answer(400, { returnCode: "ERROR" }),
      );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: (bug) => {
      keeper = new Bookkeeper(resource, bug);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
