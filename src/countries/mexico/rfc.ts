const FORM = /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{2}[0-9A]$/;
const ALPHABET = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";

/**
 * Whether the text is built as an RFC, in capitals: thirteen characters for a person, twelve for a company.
 * Its check digit may be wrong, as in the generic XAXX010101000 (assumption: documents.validate).
 */
export function hasRfcForm(text: string): boolean {
  return FORM.test(text);
}

/** Whether the text is an RFC, its check digit included. */
export function isRfc(text: string): boolean {
  return hasRfcForm(text) && text.endsWith(checkDigit(text));
}

/** A company's eleven characters count as twelve that begin with a space. */
function checkDigit(text: string): string {
  const base = text.slice(0, -1).padStart(12, " ");
  let sum = 0;
  for (let place = 0; place < 12; place++) sum += ALPHABET.indexOf(base.charAt(place)) * (13 - place);
  const check = (11 - (sum % 11)) % 11;
  return check === 10 ? "A" : String(check);
}
