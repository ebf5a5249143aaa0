import type { Account } from "./accounts/account.ts";
import { asciiUpper, MERCHANT_NAME_LENGTH_MAX } from "../countries/brazil/br-code.ts";

const CITY = "SAO PAULO";

/** A name for an account whose own has no letter a QR code can carry. */
const UNNAMED_MERCHANT = "RECEBEDOR";

/** Who receives, as a QR code says it. */
export function merchantOf(account: Pick<Account, "fullName">): { merchantName: string; city: string } {
  const merchantName = asciiUpper(account.fullName, MERCHANT_NAME_LENGTH_MAX) || UNNAMED_MERCHANT;
  return { merchantName, city: CITY };
}
