import type { Person } from "./payer.ts";
import type { PlanName, PlanOutcome } from "../plans/plan.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";

/** A payer of the fixtures whose document decides what happens. The id is the document's number. */
export interface KnownPayer extends StoredRecord {
  readonly name: string;
  readonly outcomes: { readonly [Name in PlanName]?: PlanOutcome<Name> };
}

export const knownPayers = collection<KnownPayer>("known-payers", {});

/** What a payer of the fixtures does at a step; undefined for everybody else, who waits for a hand. */
export function decisionOf<Name extends PlanName>(
  tx: Pick<Transaction, "get">,
  step: Name,
  person: Person | null | undefined,
): PlanOutcome<Name> | undefined {
  const payer = person ? tx.get(knownPayers, person.document.number) : undefined;
  return payer?.outcomes[step];
}
