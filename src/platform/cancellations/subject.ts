import type { Cancellation } from "./cancellation.ts";
import type { Transaction } from "../../engine/transaction.ts";

/** What a kind of object has to do about requests to cancel it. */
export interface CancellationSubject {
  /** Whether the object can still be canceled on this request. */
  readonly isCancellable: (tx: Transaction, cancellation: Cancellation) => boolean;
  /** Cancels the object, because the request was accepted. */
  readonly cancel: (tx: Transaction, cancellation: Cancellation) => void;
  /** Tells the company how the request stands; the status told is that of the object, not of the request. */
  readonly announce: (tx: Transaction, cancellation: Cancellation) => void;
  /** Does what follows from the end of the object, and is told after it. */
  readonly conclude?: (tx: Transaction, cancellation: Cancellation) => void;
}
