const STATES =
  "AS|BC|BS|CC|CL|CM|CS|CH|DF|DG|GT|GR|HG|JC|MC|MN|MS|NT|NL|OC|PL|QT|QR|SP|SL|SR|TC|TL|TS|VZ|YN|ZS|NE";
const FORM = new RegExp(`^[A-Z][AEIOUX][A-Z]{2}\\d{6}[HM](?:${STATES})[B-DF-HJ-NP-TV-Z]{3}[A-Z0-9]\\d$`);
const ALPHABET = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";

/** Whether the text is built as a CURP, in capitals; its check digit may be wrong (assumption: documents.validate). */
export function hasCurpForm(text: string): boolean {
  return FORM.test(text);
}

/** Whether the text is a CURP, its check digit included. */
export function isCurp(text: string): boolean {
  return hasCurpForm(text) && text.endsWith(checkDigit(text));
}

function checkDigit(text: string): string {
  let sum = 0;
  for (let place = 0; place < 17; place++) sum += ALPHABET.indexOf(text.charAt(place)) * (18 - place);
  return String((10 - (sum % 10)) % 10);
}
