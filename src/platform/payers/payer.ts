import type { TaxDocument } from "../../api/generated/shapes.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { DIGITS } from "../../engine/random.ts";
import { collection } from "../../engine/collection.ts";
import { institutions } from "../../countries/brazil/institutions.ts";
import { assertDefined } from "../../engine/assertion.ts";

/** A document as the interface writes it (interface: Common shapes). */
export interface Document {
  readonly type: string;
  readonly number: string;
}

export interface Person {
  readonly name: string;
  readonly document: Document;
}

/** A person with a CPF or CNPJ, as PIX Automático wants them. */
export interface TaxPerson extends Person {
  readonly document: TaxDocument;
}

/** Someone who pays, with the account the money comes from (interface: Subscription, payer). */
export type Payer<P extends Person = Person> = P & { readonly bankData: BankData };

export interface BankData {
  readonly ispb: string;
  readonly branchNumber: string;
  readonly accountNumber: string;
}

/** People of the fixtures, to be the payer where nobody is named. */
interface Passerby extends StoredRecord, Person {}

export const passersby = collection<Passerby>("passersby", {});

/** The person with a bank account of theirs: an invented one, always the same for the same seed. */
export function payerFrom<P extends Person>(tx: Transaction, person: P): Payer<P> {
  const chance = tx.chance("payers");
  const { ispb } = assertDefined(institutions[chance.below(institutions.length)], "an institution");
  return {
    ...person,
    bankData: { ispb, branchNumber: chance.text(DIGITS, 4), accountNumber: chance.text(DIGITS, 8) },
  };
}

/** Somebody to pay an order that names nobody. */
export function somebody(tx: Transaction): Person {
  const people = [...tx.all(passersby)];
  const { name, document } = assertDefined(people[tx.chance("passersby").below(people.length)], "a passerby");
  return { name, document };
}
