import type { Document } from "./payers/payer.ts";
import type { Problems } from "./problems.ts";
import type { Transaction } from "../engine/transaction.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { hasCnpjForm, hasCpfForm, isCnpj, isCpf } from "../countries/brazil/documents.ts";
import { parseMoney } from "../engine/money.ts";

interface AmountField {
  readonly currency: string;
  readonly value: string | number;
}

/** Validates an amount in BRL: greater than zero, at most two decimals (assumption: amounts.input). */
export function validateReais(
  problems: Problems,
  field: string,
  amount: AmountField | null | undefined,
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
    parseMoney(currency, found) === undefined
      ? `The value must be greater than 0, with at most ten digits before the point and no more decimals than ${currency} has; found ${JSON.stringify(found).slice(0, 60)}.`
      : undefined,
  );
}

/** Validates a CPF or CNPJ: its form, and its check digits unless they do not matter (assumption: documents.validate). */
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
