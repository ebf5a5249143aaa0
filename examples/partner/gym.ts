import type { Amount, BankingService, Person } from "./banking-service.ts";
import type { PlatformEvent } from "./platform-event.ts";

const MONTHLY_FEE: Amount = { currency: "BRL", value: "59.90" };

/** Final statuses: of two events of the same instant, the one with a final status is the later one. */
const FINAL: ReadonlySet<string> = new Set([
  "REJECTED",
  "CANCELED",
  "ERROR",
  "COMPLETED",
  "CANCELED_INSUFFICIENT_BALANCE",
]);

/** A gym whose members pay monthly. A real one stores all this in its database. */
export class Gym {
  readonly #bank: BankingService;
  readonly #accountId: string;
  readonly #webhookUrl: string;
  /** The newest event of each object, also of an object that the gym does not know yet. */
  readonly #newest = new Map<string, PlatformEvent>();
  /** The object of each handled event, by the key of the event. */
  readonly #handled = new Map<string, string>();
  /** The month that each charge of the gym is for, by the id of the charge. */
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

  /** Signs a member up from a day on; the member scans the QR code with a banking app. */
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

  /** Charges a month. A second call for the same month does not charge again, because the externalId is the same. */
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

  /** Handles an event at most once. It may arrive again, late, out of order, or before the answer to its request. */
  hear(event: PlatformEvent): "processed" | "duplicate" {
    if (this.#handled.has(event.key)) return "duplicate";
    this.#handled.set(event.key, event.id);
    const newest = this.#newest.get(event.id);
    if (newest === undefined || isLater(event, newest)) this.#newest.set(event.id, event);
    if (event.rootId !== undefined) this.#resends.set(event.rootId, event.id);
    return "processed";
  }

  /** Whether the member has authorized the payments and has not canceled. */
  isActive(subscriptionId: string): boolean {
    return this.#newest.get(subscriptionId)?.status === "ACCEPTED";
  }

  /** Whether a month is paid, by the charge that the gym created or by one that the platform sent again for it. */
  isPaid(chargeId: string): boolean {
    return [chargeId, this.#resends.get(chargeId)].some(
      (id) => id !== undefined && this.#newest.get(id)?.status === "COMPLETED",
    );
  }

  /** The state of the gym, for people and for the probe of the receiver checks. */
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

/** Orders by time, then a final status last, then by name, so that any order of arrival gives the same result. */
function isLater(event: PlatformEvent, than: PlatformEvent): boolean {
  return rank(event) > rank(than);
}

function rank({ at, status, name }: PlatformEvent): string {
  return `${at} ${FINAL.has(status) ? 1 : 0} ${name}`;
}
