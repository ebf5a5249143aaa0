import type { Shapes } from "../api/generated/shapes.ts";
import type { Document } from "./payers/payer.ts";
import type { Problem } from "../engine/refusal.ts";
import type { Transaction } from "../engine/transaction.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { type Collection, type StoredRecord, compositeKey } from "../engine/collection.ts";
import { hasCnpjForm, hasCpfForm, isCnpj, isCpf } from "../countries/brazil/documents.ts";
import { invalidRequest } from "./refusals.ts";
import { type Money, parseMoney } from "../engine/money.ts";

/**
 * The problems of one request. It is refused once with every wrong field. Fields that the schema refused stay
 * refused.
 */
export class Problems {
  readonly #found: Problem[];

  constructor(found: readonly Problem[] = []) {
    this.#found = [...found];
  }

  /** Whether no problem was found so far in the field, in a part of it, or in an object or list that contains it. */
  isSound(field: string): boolean {
    return !this.#found.some(
      ({ field: known }) =>
        known === field || known === "body" || isWithin(known, field) || isWithin(field, known),
    );
  }

  add(field: string, issue: string, description: string): void {
    this.#found.push({ field, issue, description });
  }

  /** Checks a field that is present and sound. `descriptionOf` returns the sentence about a problem, if any. */
  check<T>(
    field: string,
    value: T | null | undefined,
    descriptionOf: (value: T) => string | undefined,
  ): void {
    this.checkFor("INVALID", field, value, descriptionOf);
  }

  /** Checks a field for another issue than INVALID. */
  checkFor<T>(
    issue: string,
    field: string,
    value: T | null | undefined,
    descriptionOf: (value: T) => string | undefined,
  ): void {
    if (value === undefined || value === null || !this.isSound(field)) return;
    const description = descriptionOf(value);
    if (description !== undefined) this.add(field, issue, description);
  }

  /** Refuses the request if there are problems. */
  refuse(): void {
    if (this.#found.length > 0) throw invalidRequest(this.#found);
  }
}

function isWithin(outer: string, inner: string): boolean {
  return inner.startsWith(outer) && (inner[outer.length] === "." || inner[outer.length] === "[");
}

/** The widest amount of a PIX message; the platform API takes no wider one in any currency. */
const INTEGER_DIGITS_MAX = 10;

/** Reads an amount as requests write it; undefined for any other value (assumption: amounts.input). */
export function parseAmount(currency: string, value: string | number): Money | undefined {
  const [whole = ""] = String(value).replace(/^0+/, "").split(".");
  return whole.length > INTEGER_DIGITS_MAX ? undefined : parseMoney(currency, value);
}

interface ExternalId<R extends StoredRecord, I extends string> {
  readonly externalId: string | undefined;
  readonly companyId: string;
  readonly of: Collection<R, I | "externalId">;
}

/**
 * Validates that an external id names no other object of the company, if these ids are unique (assumption:
 * …external-id-unique).
 */
export function validateExternalId<R extends StoredRecord, I extends string>(
  tx: Transaction,
  problems: Problems,
  noun: "order" | "payout" | "subscription",
  { externalId, companyId, of }: ExternalId<R, I>,
): void {
  const field = noun === "order" ? "order.externalId" : "externalId";
  problems.checkFor("ALREADY_EXISTS", field, externalId, (id) =>
    assumption(tx, `${noun}.external-id-unique`) &&
    tx.find(of, "externalId", compositeKey(companyId, id)).length > 0
      ? `The external id "${id}" names another ${noun} already. Use a new one.`
      : undefined,
  );
}

/** Validates an amount in BRL: greater than zero, at most two decimals (assumption: amounts.input). */
export function validateReais(
  problems: Problems,
  field: string,
  amount: Shapes["AmountInput"] | null | undefined,
): void {
  problems.check(`${field}.currency`, amount?.currency, (currency) =>
    currency === "BRL" ? undefined : `The currency must be BRL; found "${currency.slice(0, 60)}".`,
  );
  validateValue(problems, `${field}.value`, "BRL", amount?.value);
}

/** Validates the value of an amount by the decimals of its currency. */
export function validateValue(
  problems: Problems,
  field: string,
  currency: string,
  value: string | number | null | undefined,
): void {
  problems.check(field, value, (found) =>
    parseAmount(currency, found) === undefined
      ? `The value must be greater than 0, with at most ten digits before the point and no more decimals than ${currency} has; found ${JSON.stringify(found).slice(0, 60)}.`
      : undefined,
  );
}

/** Validates a CPF or CNPJ: its form and, by default, its check digits (assumption: documents.validate). */
export function validateBrazilianDocument(
  tx: Transaction,
  problems: Problems,
  field: string,
  document: Document | null | undefined,
): void {
  if (!problems.isSound(`${field}.type`)) return;
  const isStrict = assumption(tx, "documents.validate");
  const [isCpfRight, isCnpjRight] = isStrict ? [isCpf, isCnpj] : [hasCpfForm, hasCnpjForm];
  problems.check(`${field}.number`, document?.number, (number) => {
    const type = document?.type;
    const isRight = type === "CPF" ? isCpfRight(number) : type === "CNPJ" ? isCnpjRight(number) : true;
    if (isRight) return undefined;
    const form = type === "CPF" ? "11 digits" : "14 characters";
    const digits = isStrict ? ", with right check digits" : "";
    return `The number is not a valid ${type}: ${form} without punctuation${digits}; found "${number.slice(0, 60)}".`;
  });
}
