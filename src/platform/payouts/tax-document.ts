import type { Document } from "../payers/payer.ts";
import type { TaxDocument } from "../../api/generated/shapes.ts";

/** The document where it is a CPF or CNPJ, the only ones that PIX and the payout events carry; else null. */
export function taxDocument(document: Document | null): TaxDocument | null {
  const type = document?.type;
  return document && (type === "CPF" || type === "CNPJ") ? { type, number: document.number } : null;
}
