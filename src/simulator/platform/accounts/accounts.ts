import type {
  Account as AccountAnswer,
  AccountBalance,
  AccountDepositFields,
  AccountList,
  ListAccountsQuery,
} from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { type Account, accountLifecycle, accounts, ownAccount } from "./account.ts";
import { amountShape } from "../shape.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { availableOn, balanceOf, move, OUTSIDE } from "../ledger/ledger.ts";
import { cancelScheduledPaymentsOfAccount } from "../scheduled-payments/commands.ts";
import { defineResource } from "../resource.ts";
import { formatInstant } from "../../engine/instant.ts";
import { parseMoney } from "../../engine/money.ts";
import { type Call, pathParameter } from "../call.ts";
import { Problems, validateValue } from "../problems.ts";
import { withdrawFromDirectory } from "../pix-key-claims/commands.ts";
import { accountApi } from "./operations.ts";
import { accountStates } from "./states.ts";

export const accountResource = defineResource({
  name: "accounts",
  api: accountApi,
  collection: accounts,
  view: accountView,
  lifecycles: [accountLifecycle],
  operations: { listAccounts, getAccountBalance },
  acts: {
    activate: {
      summary: "The account works again.",
      run: (tx, account) => accountStates.take(tx, account, "activate"),
    },
    deactivate: {
      summary: "The account stops working for some time: no subscriptions, no payouts.",
      run: (tx, account) =>
        cancelScheduledPaymentsOfAccount(tx, accountStates.take(tx, account, "deactivate")),
    },
    close: {
      summary: "The account is closed for ever. It loses its PIX keys, and its open claims are canceled.",
      run(tx, account) {
        cancelScheduledPaymentsOfAccount(tx, accountStates.take(tx, account, "close"));
        withdrawFromDirectory(tx, account.id);
      },
    },
    deposit: {
      summary: "Somebody outside pays BRL into the account.",
      fields: "AccountDepositFields",
      run: deposit,
    },
  },
});

/** The account as answers show it. */
function accountView(account: Account): AccountAnswer {
  const { id, status, holderType, fullName, email, phone, document, bankAccountData } = account;
  const createdAt = formatInstant(account.createdAt);
  // JSON leaves out a holder type that is not known. To copy all but two fields takes several times as long.
  const shown = { id, status, holderType, fullName, email, phone, document, bankAccountData, createdAt };
  return shown satisfies Record<keyof AccountAnswer, unknown> as AccountAnswer;
}

function deposit(tx: Transaction, account: Account, { amount: value }: AccountDepositFields): void {
  accountStates.take(tx, account, "deposit");
  const problems = new Problems();
  validateValue(problems, "amount", "BRL", value);
  problems.refuse();
  const amount = assertDefined(parseMoney("BRL", value), "a validated amount");
  const { id } = account;
  move(tx, { from: OUTSIDE, to: availableOn(id), amount, memo: "deposit", objectId: id });
}

/** Reads the amount that an account can spend now, in any status (interface: Endpoints 9). */
function getAccountBalance(tx: Transaction, call: Call): AccountBalance {
  new Problems(call.problems).refuse();
  const { id } = ownAccount(tx, call.companyId, pathParameter(call, "accountId"));
  return { accountId: id, balance: amountShape(balanceOf(tx, availableOn(id), "BRL")) };
}

/** The end of a page: an account's position in the order of the list, even if that account no longer exists. */
type Position = Pick<Account, "createdAt" | "id">;

const CURSOR = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Lists the company's accounts page by page (interface: Endpoints 8). */
export function listAccounts(
  tx: Transaction,
  { companyId, query, problems: found }: Call<unknown, ListAccountsQuery>,
): AccountList {
  const problems = new Problems(found);
  problems.check("cursor", query.cursor, (cursor) =>
    positionOf(cursor) === undefined
      ? `The cursor is not from this list: found "${cursor.slice(0, 60)}". Send the nextCursor of the page before as it came.`
      : undefined,
  );
  problems.refuse();
  const { limit = 20, sort = "desc", cursor } = query;
  const direction = sort === "asc" ? 1 : -1;
  const compare = (one: Position, other: Position) => direction * byPosition(one, other);
  const after = cursor === undefined ? undefined : positionOf(cursor);
  const left = tx
    .find(accounts, "company", companyId)
    .filter((account) => matches(account, query) && (after === undefined || compare(account, after) > 0))
    .sort(compare);
  const items = left.slice(0, limit);
  const hasNext = left.length > limit;
  const last = hasNext ? items.at(-1) : undefined;
  return {
    nextCursor: last === undefined ? null : cursorAt(last),
    hasNext,
    data: items.map(accountView),
  };
}

function matches(account: Account, { status, document, email, fullName }: ListAccountsQuery): boolean {
  return (
    (status === undefined || account.status === status) &&
    (document === undefined || account.document.number === document.toUpperCase()) &&
    (email === undefined || contains(account.email, email)) &&
    (fullName === undefined || contains(account.fullName, fullName))
  );
}

function contains(text: string, part: string): boolean {
  return normalized(text).includes(normalized(part));
}

/** In one case and one form: an é may come as one character or as an e and its accent. */
function normalized(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Compares by creation time, then by id, so that every account has one position. */
function byPosition(left: Position, right: Position): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

function cursorAt({ createdAt, id }: Position): string {
  return `${createdAt}.${id}`;
}

function positionOf(cursor: string): Position | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}
