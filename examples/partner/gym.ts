import type { Amount, BankingService, Person } from "./banking-service.ts";
import type { PlatformEvent } from "./platform-event.ts";

const MONTHLY_FEE: Amount = { currency: "BRL", value: "59.90" };

/** Statuses after which nothing changes any more: at the same instant, they come later. */
const FINAL: ReadonlySet<string> = new Set([
  "REJECTED",
  "CANCELED",
  "ERROR",
  "COMPLETED",
  "CANCELED_INSUFFICIENT_BALANCE",
]);

/** A gym whose members pay by the month. A real one keeps all this in its database. */
export class Gym {
  readonly #bank: BankingService;
  readonly #accountId: string;
  readonly #webhookUrl: string;
  /** The newest event of each object that the platform told of, whether the gym knows the object yet or not. */
  readonly #newest = new Map<string, PlatformEvent>();
  /** The events that were taken in, by their keys, with the object of each. */
  readonly #handled = new Map<string, string>();
  /** The months that were charged: what month a charge of the gym stands for. */
  readonly #months = new Map<string, { readonly subscriptionId: string; readonly month: string }>();
  /** The last charge of a chain that the platform resends, by the charge that the gym created. */
  readonly #resends = new Map<string, string>();

  constructor(options: {
    readonly bank: BankingService;
    readonly accountId: string;
    readonly webhookUrl: string;
  }) {
    this.#bank = options.bank;
    this.#accountId = options.accountId;
    this.#webhookUrl = options.webhookUrl;
  }

  /** Signs somebody up from a day on; the QR code is for the member to read with a banking app. */
  async join(
    member: Person,
    from: string,
  ): Promise<{ readonly subscriptionId: string; readonly qrcode: string }> {
    const { id, qrcodeData } = await this.#bank.createSubscription({
      accountId: this.#accountId,
      externalId: `member-${member.document.number}`,
      startDate: from,
      fixedAmount: MONTHLY_FEE,
      debtor: member,
      webhookUrl: this.#webhookUrl,
    });
    return { subscriptionId: id, qrcode: qrcodeData };
  }

  /** Charges a month. Asked twice for the same month it charges once: the externalId says so. */
  async charge(subscriptionId: string, month: string, dueDate: string): Promise<string> {
    const externalId = `${subscriptionId}-${month}`;
    const { id } = await this.#bank.createCharge(subscriptionId, {
      externalId,
      dueDate,
      amount: MONTHLY_FEE,
    });
    this.#months.set(id, { subscriptionId, month });
    return id;
  }

  /** Takes an event in, at most once. It may come again, late, out of order, or before the answer it belongs to. */
  hear(event: PlatformEvent): "processed" | "duplicate" {
    if (this.#handled.has(event.key)) return "duplicate";
    this.#handled.set(event.key, event.id);
    const newest = this.#newest.get(event.id);
    if (newest === undefined || isLater(event, newest)) this.#newest.set(event.id, event);
    if (event.rootId !== undefined) this.#resends.set(event.rootId, event.id);
    return "processed";
  }

  /** Whether the door opens: the member has authorized the payments and did not cancel. */
  isActive(subscriptionId: string): boolean {
    return this.#newest.get(subscriptionId)?.status === "ACCEPTED";
  }

  /** Whether a month is paid, by the charge that the gym created or by one that the platform sent again for it. */
  isPaid(chargeId: string): boolean {
    return [chargeId, this.#resends.get(chargeId)].some(
      (id) => id !== undefined && this.#newest.get(id)?.status === "COMPLETED",
    );
  }

  /** What the gym knows, for people to look at. */
  get books(): object {
    const objects = Array.from(this.#newest, ([id, { name, status, at }]) => [
      id,
      { event: name, status, at },
    ]);
    const processed: Record<string, number> = {};
    for (const id of this.#handled.values()) processed[id] = (processed[id] ?? 0) + 1;
    const months = Array.from(this.#months, ([id, charge]) => ({ ...charge, isPaid: this.isPaid(id) }));
    return { objects: Object.fromEntries(objects) as object, months, processed };
  }
}

/** Time decides; at the same instant what is final comes later, and then the name, so that any order ends alike. */
function isLater(event: PlatformEvent, than: PlatformEvent): boolean {
  return rank(event) > rank(than);
}

function rank({ at, status, name }: PlatformEvent): string {
  return `${at} ${FINAL.has(status) ? 1 : 0} ${name}`;
}
