const STATES =
  "AS|BC|BS|CC|CL|CM|CS|CH|DF|DG|GT|GR|HG|JC|MC|MN|MS|NT|NL|OC|PL|QT|QR|SP|SL|SR|TC|TL|TS|VZ|YN|ZS|NE";
/** The sex is H, M or, since 2022, X. */
const CURP_FORM = new RegExp(
  `^[A-Z][AEIOUX][A-Z]{2}\\d{6}[HMX](?:${STATES})[B-DF-HJ-NP-TV-Z]{3}[A-Z0-9]\\d$`,
);
const RFC_FORM = /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{2}[0-9A]$/;

/**
 * Whether the text has the form of a CURP, in capitals. The check digit may be wrong (assumption: documents.validate).
 */
export function hasCurpForm(text: string): boolean {
  return CURP_FORM.test(text);
}

/** Whether the text has the form of an RFC, in capitals; its check digit may be wrong (documents.validate). */
export function hasRfcForm(text: string): boolean {
  return RFC_FORM.test(text);
}
