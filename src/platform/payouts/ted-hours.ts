import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDays, instantAt, localDate, localTime, saoPaulo } from "../../countries/brazil/calendar.ts";
import { addDuration } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { isBankBusinessDay, nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";

/** When a TED sent now settles: soon within the hours of the banks, else soon after they open next. */
export function tedSettlementTime(tx: Pick<Transaction, "get" | "now">): Instant {
  return addDuration(tedSendingTime(tx), assumption(tx, "payout.ted-delay"), saoPaulo);
}

/** Now, where the settlement system of the banks is open, or its next opening (assumption: payout.settlement-delay). */
function tedSendingTime(tx: Pick<Transaction, "get" | "now">): Instant {
  const opens = assumption(tx, "payout.ted-opens");
  const closes = assumption(tx, "payout.ted-closes");
  const today = localDate(tx.now);
  const time = localTime(tx.now);
  if (isBankBusinessDay(today)) {
    if (time < opens) return instantAt(today, opens);
    if (time < closes) return tx.now;
  }
  return instantAt(nextBankBusinessDay(addDays(today, 1)), opens);
}
