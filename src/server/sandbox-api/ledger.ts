import type { ControlRequest } from "./control.ts";
import { amountShape } from "../../platform/shape.ts";
import { balances, isBalanced, ledgerEntries } from "../../platform/ledger/ledger.ts";
import { formatInstant } from "../../engine/instant.ts";

/** `GET /sandbox/ledger`: `{balanced, accounts, entries}` */
export function showLedger({ world }: ControlRequest): object {
  const { records } = world;
  const accounts = Array.from(records.all(balances), ({ account, amount }) => ({
    account,
    ...amountShape(amount),
  }));
  const entries = Array.from(records.all(ledgerEntries), ({ id, at, memo, objectId, postings }) => ({
    id,
    at: formatInstant(at),
    memo,
    objectId,
    postings: postings.map(({ account, amount }) => ({ account, ...amountShape(amount) })),
  }));
  return { balanced: isBalanced(records), accounts, entries };
}
