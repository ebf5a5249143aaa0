import { type Chance, DIGITS } from "../../engine/random.ts";

const CPF_FORM = /^\d{11}$/;
const CNPJ_FORM = /^[0-9A-Z]{12}\d{2}$/;
const ALL_EQUAL = /^(.)\1*$/;

const CPF_WEIGHTS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** Whether the text has the form of a CPF; its check digits may be wrong. */
export function hasCpfForm(text: string): boolean {
  return CPF_FORM.test(text);
}

/** Whether the text has the form of a CNPJ, of digits or letters in either case; its check digits may be wrong. */
export function hasCnpjForm(text: string): boolean {
  return CNPJ_FORM.test(text.toUpperCase());
}

/** Whether the text is a CPF: eleven digits without punctuation, not all equal, with right check digits. */
export function isCpf(text: string): boolean {
  return (
    CPF_FORM.test(text) && !ALL_EQUAL.test(text) && text === withCheckDigits(text.slice(0, 9), CPF_WEIGHTS)
  );
}

/** Whether the text is a CNPJ without punctuation; letters, in use since July 2026, in either case. */
export function isCnpj(text: string): boolean {
  const number = text.toUpperCase();
  return (
    CNPJ_FORM.test(number) &&
    !ALL_EQUAL.test(number) &&
    number === withCheckDigits(number.slice(0, 12), CNPJ_WEIGHTS)
  );
}

/** A random valid CPF. */
export function inventCpf(chance: Chance): string {
  return cpfFrom(chance.text(DIGITS, 9));
}

/** Returns the valid CPF that begins with nine digits. If all nine are equal, one of them is replaced. */
export function cpfFrom(base: string): string {
  return withCheckDigits(notAllEqual(base), CPF_WEIGHTS);
}

/** The valid CNPJ that begins with twelve digits or capitals. */
export function cnpjFrom(base: string): string {
  return withCheckDigits(base, CNPJ_WEIGHTS);
}

/**
 * The base with its two check digits. The second is computed over the first one too, so `weights` has one
 * weight more than the base has digits; the first check digit does not use the leading weight.
 */
function withCheckDigits(base: string, weights: readonly number[]): string {
  const once = base + checkDigit(base, weights.slice(1));
  return once + checkDigit(once, weights);
}

/** Modulo 11 over character values: the ASCII code minus 48, so that A counts 17 and Z 42. */
function checkDigit(text: string, weights: readonly number[]): number {
  let sum = 0;
  for (const [position, weight] of weights.entries()) sum += (text.charCodeAt(position) - 48) * weight;
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

/** Nine equal digits get two more of the same as check digits, and such a CPF is not valid. */
function notAllEqual(base: string): string {
  return ALL_EQUAL.test(base) ? base.slice(1) + ((Number(base[0]) + 1) % 10) : base;
}
