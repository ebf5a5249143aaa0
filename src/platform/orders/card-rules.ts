import type { CreateTransparentOrderV3Request } from "../../api/generated/shapes.ts";
import type { Problems } from "../problems.ts";
import { localDate } from "../../countries/brazil/calendar.ts";

type Request = CreateTransparentOrderV3Request | undefined;

const CARD = "paymentDetails.card";

/**
 * Validates what a CREDIT_CARD order pays with: a raw card whose number checks and that has not expired, or a
 * stored one, or what came of a 3-D Secure flow. No message repeats what is on the card.
 */
export function validateCard(problems: Problems, body: Request, now: number): void {
  const details = body?.paymentDetails;
  const card = details?.card;
  problems.check(`${CARD}.number`, card?.number, (number) =>
    hasCheckDigit(number) ? undefined : "The card number does not check: its last digit is wrong.",
  );
  problems.check(`${CARD}.expiration`, card?.expiration, (expiration) =>
    monthOf(expiration) < localDate(now).slice(0, 7)
      ? "The card has expired. A card is good until the last day of its month."
      : undefined,
  );
  problems.check(`${CARD}.installments`, card?.installments, (installments) => {
    const other = body?.order?.installments;
    return other === undefined || other === installments
      ? undefined
      : `paymentDetails.card.installments and order.installments differ: ${installments} and ${other}. Send one of them, or the same in both.`;
  });
  if (card !== undefined && details?.cardToken !== undefined) {
    const exclusive =
      "card and cardToken exclude each other: a stored card is used instead of raw card data.";
    for (const field of [CARD, "paymentDetails.cardToken"])
      problems.add(field, "MUTUALLY_EXCLUSIVE", exclusive);
  }
}

/** `2030-12` of `12/30`. */
function monthOf(expiration: string): string {
  return `20${expiration.slice(3)}-${expiration.slice(0, 2)}`;
}

/** The check digit of card numbers: every second digit from the right doubled, all digits summed to a ten. */
function hasCheckDigit(number: string): boolean {
  let sum = 0;
  for (let place = 0; place < number.length; place++) {
    const digit = Number(number.at(-1 - place)) * (place % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
