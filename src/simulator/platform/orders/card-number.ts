/** Computes the check sum of a card number (Luhn). It is 0 for a valid number. */
export function cardCheckSum(number: string): number {
  let sum = 0;
  let isDoubled = false;
  for (let at = number.length - 1; at >= 0; at--) {
    const digit = (number.charCodeAt(at) - 48) * (isDoubled ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
    isDoubled = !isDoubled;
  }
  return sum % 10;
}
