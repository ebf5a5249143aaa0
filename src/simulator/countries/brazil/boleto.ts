import { assert } from "../../engine/assertion.ts";
import { type CalendarDate, daysBetween } from "./calendar.ts";

const FACTOR_BASE: CalendarDate = "1997-10-07";
const FACTOR_FIRST = 1000;
/** Factors 1000 to 9999 were used up on 2025-02-21; the next day started again at 1000. */
const FACTORS = 9000;

const REAL = "9";
const AMOUNT_MINOR_MAX = 9_999_999_999;

/** Days since 7 October 1997 in four digits, 1000 again after 9999; 0 for a date before 3 July 2000. */
export function dueDateFactor(date: CalendarDate): number {
  const days = daysBetween(FACTOR_BASE, date);
  if (days < FACTOR_FIRST) return 0;
  return ((days - FACTOR_FIRST) % FACTORS) + FACTOR_FIRST;
}

/** The 44 digits of a boleto's barcode: bank, currency, check digit, due date, centavos and the free field. */
export function boletoBarcode(boleto: {
  /** Three digits: the bank's clearing number. */
  readonly bankCode: string;
  readonly dueDate: CalendarDate;
  readonly amountMinor: number;
  /** 25 digits. */
  readonly freeField: string;
}): string {
  const { bankCode, dueDate, amountMinor, freeField } = boleto;
  assert(/^\d{3}$/.test(bankCode), `${bankCode} is not a clearing number`);
  assert(/^\d{25}$/.test(freeField), `${freeField} is not a free field`);
  const payable = Number.isInteger(amountMinor) && amountMinor >= 0 && amountMinor <= AMOUNT_MINOR_MAX;
  assert(payable, `a boleto of ${amountMinor} centavos`);
  const amount = String(amountMinor).padStart(10, "0");
  const rest = String(dueDateFactor(dueDate)).padStart(4, "0") + amount + freeField;
  return bankCode + REAL + modulo11(bankCode + REAL + rest) + rest;
}

/** The 47 digits that people type instead of scanning the barcode, with the usual dots and spaces. */
export function boletoLine(barcode: string): string {
  assert(/^\d{44}$/.test(barcode), `${barcode} is not a barcode of a boleto`);
  const freeField = barcode.slice(19);
  const blocks = [
    barcode.slice(0, 4) + freeField.slice(0, 5),
    freeField.slice(5, 15),
    freeField.slice(15),
  ].map((digits) => `${digits.slice(0, 5)}.${digits.slice(5)}${modulo10(digits)}`);
  return [...blocks, barcode.charAt(4), barcode.slice(5, 19)].join(" ");
}

/** Weights 2 to 9 from the right, repeated; a result of 0, 10 or 11 is written 1. */
function modulo11(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place++)
    sum += Number(digits.at(-1 - place)) * (2 + (place % 8));
  const check = 11 - (sum % 11);
  return check > 9 ? 1 : check;
}

/** Weights 2 and 1 from the right, a product of two digits counts as the sum of its digits. */
function modulo10(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const product = Number(digits.at(-1 - place)) * (place % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10;
}
