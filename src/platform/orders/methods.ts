import type { PaymentMethod } from "../../api/generated/shapes.ts";

/** A country the platform takes orders in: its currency and the documents of its customers. */
export interface Country {
  readonly name: string;
  readonly currency: string;
  readonly documentTypes: readonly string[];
}

const brazil: Country = { name: "Brazil", currency: "BRL", documentTypes: ["CPF", "CNPJ", "OTHERS"] };
const mexico: Country = { name: "Mexico", currency: "MXN", documentTypes: ["CURP", "RFC"] };

/** The country of each payment method (interface: Create transparent order, payment methods). */
const COUNTRIES: Readonly<Record<PaymentMethod, Country>> = {
  PIX: brazil,
  EXCHANGE_PAY: brazil,
  DEPOSIT: brazil,
  BOLETO: brazil,
  CREDIT_CARD: mexico,
  SPEI: mexico,
  CASHSTORE: mexico,
  CASHSTORE_WALLET: mexico,
  NETWORK_PAYMENT: mexico,
};

/** The country a payment method belongs to; undefined for what is no payment method. */
export function countryOf(method: string | undefined): Country | undefined {
  return method !== undefined && Object.hasOwn(COUNTRIES, method)
    ? COUNTRIES[method as PaymentMethod]
    : undefined;
}
