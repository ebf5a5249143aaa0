import type { Country } from "./methods.ts";
import type { Document } from "../payers/payer.ts";
import type { Problems } from "../problems.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { hasCurpForm } from "../../countries/mexico/curp.ts";
import { hasRfcForm } from "../../countries/mexico/rfc.ts";
import { validateBrazilianDocument } from "../field-rules.ts";

/**
 * Validates the document of a customer or payer: its type by the country of the payment method, its number by
 * form and check digits (interface: Create transparent order, customer; assumption: documents.validate).
 */
export function validateOrderDocument(
  tx: Transaction,
  problems: Problems,
  { field, document, country }: { field: string; document: Document | null | undefined; country: Country },
): void {
  problems.check(`${field}.type`, document?.type, (type) =>
    country.documentTypes.includes(type)
      ? undefined
      : `A payment method of ${country.name} takes ${country.documentTypes.join(", ")}; found "${type.slice(0, 60)}".`,
  );
  validateBrazilianDocument(tx, problems, field, document);
  if (!problems.isSound(`${field}.type`)) return;
  problems.check(`${field}.number`, document?.number, (number) => {
    const upper = number.toUpperCase();
    const isRight =
      document?.type === "CURP" ? hasCurpForm(upper) : document?.type === "RFC" ? hasRfcForm(upper) : true;
    return isRight
      ? undefined
      : `The number does not have the form of a ${document?.type}, such as ${EXAMPLES[document?.type ?? ""]}; found "${number.slice(0, 60)}".`;
  });
}

const EXAMPLES: Readonly<Record<string, string>> = { CURP: "SABC560626MDFLRN01", RFC: "GODE561231GR8" };
