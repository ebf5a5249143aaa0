import { assert } from "../../engine/assertion.ts";

const WEIGHTS = [3, 7, 1];

/**
 * The five-digit codes of Banxico, by the three digits that begin a CLABE: 40 for banks, 90 for other participants of
 * SPEI.
 */
const BANK_CODES: ReadonlyMap<string, string> = new Map(
  ["40002", "40012", "40014", "40021", "40058", "40072", "40127", "90638", "90646", "90722"].map((code) => [
    code.slice(2),
    code,
  ]),
);

/** The CLABE of an account: three digits of bank, three of city, eleven of account, and the check digit. */
export function clabe(account: {
  readonly bank: string;
  readonly city: string;
  readonly account: string;
}): string {
  const digits = account.bank + account.city + account.account;
  const sized = account.bank.length === 3 && account.city.length === 3 && /^\d{17}$/.test(digits);
  assert(sized, `${account.bank}, ${account.city} and ${account.account} make no CLABE`);
  return digits + checkDigit(digits);
}

/** Returns true for a CLABE: 18 digits with a check digit at the end. */
export function isClabe(text: string): boolean {
  return /^\d{18}$/.test(text) && text.endsWith(checkDigit(text));
}

/** `90646`: Banxico's code of the bank of a CLABE; undefined for a bank that the sandbox does not know. */
export function bankCodeOf(clabe: string): string | undefined {
  return BANK_CODES.get(clabe.slice(0, 3));
}

function checkDigit(digits: string): string {
  let sum = 0;
  for (let place = 0; place < 17; place++) sum += (Number(digits[place]) * (WEIGHTS[place % 3] ?? 0)) % 10;
  return String((10 - (sum % 10)) % 10);
}
