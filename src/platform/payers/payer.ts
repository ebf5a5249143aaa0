import type { TaxDocument } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { DIGITS } from "../../engine/random.ts";
import { institutions } from "../../countries/brazil/institutions.ts";

/** A document as the interface writes it (interface: Common shapes). */
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

/** A payer of the fixtures whose document decides what happens. The id is the document's number. */
export interface KnownPayer extends StoredRecord {
  readonly name: string;
  /** The outcome of each step that the payer decides, by the name of the step. */
  readonly outcomes: Readonly<Record<string, string>>;
}

export const knownPayers = collection<KnownPayer>("known-payers", {});

/** The outcome that a payer of the fixtures decides for a step; undefined for any other person. */
export function decisionOf(
  tx: Pick<Transaction, "get">,
  step: string,
  person: Person | null | undefined,
): string | undefined {
  const payer = person ? tx.get(knownPayers, person.document.number) : undefined;
  return payer?.outcomes[step];
}

/** One of the people of the fixtures. The id is the position in the file. */
export type RandomPerson = StoredRecord & Person;

/** People of the fixtures, one of whom pays an order without a payer. */
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
