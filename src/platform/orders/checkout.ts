import type { PlanOutcome } from "../plans/plan.ts";

/** Where the 3-D Secure challenge of a card order stands. */
export interface ThreeDsState {
  /**
   * SKIPPED: the request asked for none; FRICTIONLESS: the card needs none; AUTHENTICATED: passed, here or
   * before the order; CHALLENGE: to be passed; FAILED: not passed.
   */
  readonly status: "SKIPPED" | "FRICTIONLESS" | "AUTHENTICATED" | "CHALLENGE" | "FAILED";
  /** Opens the challenge; null where there is none. */
  readonly accessToken: string | null;
}

/** What is left of a card once an order was made with it: nothing that could pay again. */
export interface CardState {
  readonly lastDigits: string | null;
  readonly brand: string | null;
  readonly installments: number;
  /** What a test card decides; null for any other card. */
  readonly outcome: PlanOutcome<"order.payment"> | null;
  /** Why a test card is declined. */
  readonly declineReason: string | null;
  readonly threeDs: ThreeDsState;
}

/** What an order gives its customer to pay with, by payment method (interface: Transparent order, response groups). */
export type Checkout =
  | { readonly kind: "pix"; readonly qrcodeData: string; readonly pixKey: string }
  | { readonly kind: "app" }
  | { readonly kind: "card"; readonly card: CardState }
  | {
      readonly kind: "transfer";
      readonly clabe: string;
      readonly beneficiary: string;
      readonly bankCode: string;
    }
  | {
      readonly kind: "page";
      readonly token: string;
      readonly slip: Slip | null;
      readonly bank: Bank | null;
      /** What the customer says at the store's till. */
      readonly reference: string | null;
    };

/** A bank slip: the barcode and the line people type instead of scanning it. */
export interface Slip {
  readonly barcode: string;
  readonly line: string;
}

/** The bank that a DEPOSIT goes to. */
export interface Bank {
  readonly slug: string;
  readonly name: string;
  readonly ispb: string;
  readonly code: string;
}
