import type { Document } from "./payers/payer.ts";
import type { Problems } from "./problems.ts";
import type { Transaction } from "../core/transaction.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { isCnpj, isCpf } from "../brazil/documents.ts";
import { parseMoney } from "../core/money.ts";

interface AmountField {
  readonly currency: string;
  readonly value: string | number;
}

/** Judges an amount in BRL: greater than zero, at most two decimals (assumption: amounts.input). */
export function judgeReais(problems: Problems, field: string, amount: AmountField | null | undefined): void {
  problems.judge(`${field}.currency`, amount?.currency, (currency) =>
    currency === "BRL" ? undefined : `The currency must be BRL; found "${currency.slice(0, 60)}".`,
  );
  judgeValue(problems, `${field}.value`, "BRL", amount?.value);
}

/** Judges the value of an amount by the decimals of its currency. */
export function judgeValue(
  problems: Problems,
  field: string,
  currency: string,
  value: string | number | null | undefined,
): void {
  problems.judge(field, value, (found) =>
    parseMoney(currency, found) === undefined
      ? `The value must be greater than 0, with at most ten digits before the point and no more decimals than ${currency} has; found ${JSON.stringify(found).slice(0, 60)}.`
      : undefined,
  );
}

/** Judges the check digits of a CPF or CNPJ (assumption: documents.validate). */
export function judgeBrazilianDocument(
  tx: Transaction,
  problems: Problems,
  field: string,
  document: Document | null | undefined,
): void {
  if (!assumption(tx, "documents.validate") || !problems.isSound(`${field}.type`)) return;
  problems.judge(`${field}.number`, document?.number, (number) => {
    const type = document?.type;
    const isRight = type === "CPF" ? isCpf(number) : type === "CNPJ" ? isCnpj(number) : true;
    if (isRight) return undefined;
    const form = type === "CPF" ? "11 digits" : "14 characters";
    return `The number is not a valid ${type}: ${form} without punctuation, with right check digits; found "${number.slice(0, 60)}".`;
  });
}
