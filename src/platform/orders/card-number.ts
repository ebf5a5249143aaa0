/** The check sum of a card number (Luhn): every second digit from the right counts double; 0 where the number checks. */
export function cardCheckSum(number: string): number {
  let sum = 0;
  for (let place = 0; place < number.length; place++) {
    const digit = Number(number.at(-1 - place)) * (place % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10;
}
