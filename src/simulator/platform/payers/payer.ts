import type { Records } from "../../engine/store.ts";
import type { IsoDuration } from "../../engine/instant.ts";
import type { ScheduledPaymentRejectionCode, TaxDocument } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { DIGITS } from "../../engine/random.ts";
import { institutions } from "../../countries/brazil/institutions.ts";

/** A document as the platform API writes it (interface: Common shapes). */
export interface Document {
  readonly type: string;
  readonly number: string;
}

export interface Person {
  readonly name: string;
  readonly document: Document;
}

/** A person with a CPF or CNPJ, as PIX Automático requires. */
export interface TaxPerson extends Person {
  readonly document: TaxDocument;
}

/** The person that a request names, with the document in capitals. */
export function personOf<P extends Person>({ name, document: { type, number } }: P): Pick<P, keyof Person> {
  return { name, document: { type, number: number.toUpperCase() } };
}

/** A person who pays, with the account that the money comes from (interface: Subscription, payer). */
export type Payer<P extends Person = Person> = P & { readonly bankData: BankData };

export interface BankData {
  readonly ispb: string;
  readonly branchNumber: string;
  readonly accountNumber: string;
}

/** An account at an institution of Brazil. */
export interface BankAccount extends BankData {
  readonly accountType: string;
}

/** A payer of the fixtures whose document decides the outcomes. The id is the document's number. */
export interface KnownPayer extends StoredRecord {
  readonly name: string;
  /**
   * The outcome of each step that the payer decides, by its name: always the same, or a first outcome and a later
   * one.
   */
  readonly outcomes: Readonly<Record<string, string | readonly [first: string, then: string]>>;
  /** The reason why the payer's institution schedules no charge, if it schedules none. */
  readonly rejectionCode?: ScheduledPaymentRejectionCode;
  /** The time from the acceptance of a subscription until the payer asks to cancel it. */
  readonly cancelsAfter?: IsoDuration;
}

export const knownPayers = collection<KnownPayer>("known-payers", {});

/** Payers whose document decides in every world, whatever its fixtures. */
export const magicPayers: readonly KnownPayer[] = [
  {
    id: "90000000507",
    name: "Otto Uma Vez",
    outcomes: {
      "subscription.authorization": "ACCEPTED",
      "order.payment": "PAID",
      "scheduled-payment.settlement": ["INSUFFICIENT_BALANCE", "SETTLED"],
    },
  },
  {
    id: "90000000680",
    name: "Clara Conta Encerrada",
    outcomes: {
      "subscription.authorization": "ACCEPTED",
      "order.payment": "DECLINED",
      "scheduled-payment.scheduling": "REJECTED",
    },
    rejectionCode: "AC05",
  },
  {
    id: "90000000760",
    name: "Max Acima do Limite",
    outcomes: {
      "subscription.authorization": "ACCEPTED",
      "order.payment": "DECLINED",
      "scheduled-payment.scheduling": "REJECTED",
    },
    rejectionCode: "AM02",
  },
  {
    id: "90000000841",
    name: "Diana Desiste",
    outcomes: { "subscription.authorization": "ACCEPTED", "order.payment": "PAID" },
    cancelsAfter: "P1D",
  },
];

/** Returns the payer whose document decides the outcomes. Undefined for any other person. */
export function knownPayerOf(tx: Records, person: Person | null | undefined): KnownPayer | undefined {
  const id = person?.document.number;
  return id === undefined ? undefined : (tx.get(knownPayers, id) ?? magicPayers.find((one) => one.id === id));
}

/** The outcome that a known payer decides for a step, the first time or later; undefined for any other person. */
export function decisionOf(
  tx: Records,
  step: string,
  { person, isLater = false }: { readonly person: Person | null | undefined; readonly isLater?: boolean },
): string | undefined {
  const outcome = knownPayerOf(tx, person)?.outcomes[step];
  return outcome === undefined || typeof outcome === "string" ? outcome : outcome[isLater ? 1 : 0];
}

/** One of the people of the fixtures. The id is the position in the file. */
export type RandomPerson = StoredRecord & Person;

/** People of the fixtures. One of them pays an order without a payer. */
export const randomPeople = collection<RandomPerson>("passersby", {});

/** The person who pays an order without a payer. */
export function randomPerson(tx: Transaction): Person {
  const people = [...tx.all(randomPeople)];
  const { name, document } = assertDefined(
    people[tx.chance("passersby").below(people.length)],
    "a random person",
  );
  return { name, document };
}

/** The person with a random bank account. */
export function payerFrom<P extends Person>(tx: Transaction, person: P): Payer<P> {
  const chance = tx.chance("payers");
  const { ispb } = assertDefined(institutions[chance.below(institutions.length)], "an institution");
  return {
    ...person,
    bankData: { ispb, branchNumber: chance.text(DIGITS, 4), accountNumber: chance.text(DIGITS, 8) },
  };
}
