import type { PlanOutcome } from "../plans/plan.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";

/** A card of the fixtures whose number decides what happens; the id is the number. */
export interface TestCard extends StoredRecord {
  /** What `cardToken` names the card by, as if it had been stored before. */
  readonly token: string;
  readonly outcome: PlanOutcome<"order.payment">;
  /** What the customer is told where the card is declined. */
  readonly declineReason?: string;
  /** Whether the card wants a 3-D Secure challenge where the request does not say. */
  readonly isChallenged: boolean;
}

export const testCards = collection<TestCard, "token">("test-cards", { token: (card) => card.token });

/** The test card of that number or token; undefined for any other, which waits for a hand. */
export function testCardOf(
  tx: Pick<Transaction, "get" | "find">,
  { number, token }: { readonly number?: string | undefined; readonly token?: string | undefined },
): TestCard | undefined {
  if (number !== undefined) return tx.get(testCards, number);
  return token === undefined ? undefined : tx.find(testCards, "token", token)[0];
}
