import type { Account } from "./accounts/account.ts";
import { asciiUpper, MERCHANT_NAME_LENGTH_MAX } from "../countries/brazil/br-code.ts";

/** The host of the payloads of dynamic QR codes: only the institutions of the sandbox read there. */
const HOST = "pix.sandbank.example/qr/v2";

/** The location of the payment of a dynamic QR code. */
export function chargeLocation(id: string): string {
  return `${HOST}/cob/${id}`;
}

/** The location of a recurrence that a QR code asks to authorize. */
export function recurrenceLocation(id: string): string {
  return `${HOST}/rec/${id}`;
}

/** The id in a charge location of the sandbox; undefined for a location of another institution. */
export function chargeIdOf(location: string): string | undefined {
  const prefix = `${HOST}/cob/`;
  return location.startsWith(prefix) ? location.slice(prefix.length) : undefined;
}

const CITY = "SAO PAULO";

/** The name for an account whose own name has no character that a QR code can contain. */
const UNNAMED_MERCHANT = "RECEBEDOR";

/** The receiver, as a QR code names it. */
export function merchantOf(account: Pick<Account, "fullName">): { merchantName: string; city: string } {
  const merchantName = asciiUpper(account.fullName, MERCHANT_NAME_LENGTH_MAX) || UNNAMED_MERCHANT;
  return { merchantName, city: CITY };
}
