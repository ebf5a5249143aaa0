/** The reasons why an institution does not settle, as codes of its messages (assumption: payout.error-messages). */
const failureSentences = {
  AB03: "The settlement took longer than PIX allows.",
  AB09: "The receiver's institution reported an error.",
  AC03: "The receiver's account does not exist.",
  AC06: "The receiver's account is blocked.",
  AC07: "The receiver's account is closed.",
  AC14: "The receiver's account is of another type.",
  AG03: "The receiver's account does not take this kind of payment.",
  AM02: "The amount is above what the receiver's institution allows.",
  BE01: "The receiver's document does not match the holder of the account.",
  BE17: "The QR code was rejected.",
  CH11: "The receiver's document is wrong.",
  DS04: "The receiver's institution refused the payment.",
  DS27: "The receiver's institution does not take part in PIX.",
  DUPL: "The payment was made before.",
  FRAD: "The payment is suspected of fraud.",
  RC10: "The receiver's institution is not known.",
  RR04: "The payment was refused for regulatory reasons.",
} as const;

export type FailureCode = keyof typeof failureSentences;

export const failureCodes = Object.keys(failureSentences) as readonly FailureCode[];

/**
 * Returns an errorMessage such as `BE01: The receiver's document does not match…`, with details of this case if there
 * are some.
 */
export function failureMessage(code: FailureCode, more?: string): string {
  return `${code}: ${failureSentences[code]}${more === undefined ? "" : ` ${more}`}`;
}
