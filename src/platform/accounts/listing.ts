import type { Account } from "./account.ts";
import type { AccountList, ListAccountsQuery } from "../../api/generated/shapes.ts";
import type { Call } from "../call.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts, accountShape } from "./account.ts";
import { firstPage, inDirection } from "../page.ts";
import { Problems } from "../problems.ts";

/** Where a page ended: an account's place in the order of the list, whether or not it is still there. */
type Place = Pick<Account, "createdAt" | "id">;

const CURSOR = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/** Lists the company's accounts page by page (interface: Endpoints 8). */
export function listAccounts(
  tx: Transaction,
  { companyId, query, problems: found }: AccountsCall,
): AccountList {
  const problems = new Problems(found);
  problems.check("cursor", query.cursor, (cursor) =>
    placeOf(cursor) === undefined
      ? `The cursor is none of this list: found "${cursor.slice(0, 60)}". Send the nextCursor of the page before as it came.`
      : undefined,
  );
  problems.refuse();
  const { limit = 20, sort = "desc", cursor } = query;
  const compare = inDirection<Place>(sort, byPlace);
  const after = cursor === undefined ? undefined : placeOf(cursor);
  const left = tx
    .find(accounts, "company", companyId)
    .filter((account) => matches(account, query) && (after === undefined || compare(account, after) > 0))
    .sort(compare);
  const { items, hasNext } = firstPage(left, limit);
  const last = hasNext ? items.at(-1) : undefined;
  return {
    nextCursor: last === undefined ? null : cursorAt(last),
    hasNext,
    data: items.map(accountShape),
  };
}

type AccountsCall = Call<unknown, ListAccountsQuery>;

function matches(account: Account, { status, document, email, fullName }: ListAccountsQuery): boolean {
  return (
    (status === undefined || account.status === status) &&
    (document === undefined || account.document.number === document.toUpperCase()) &&
    (email === undefined || contains(account.email, email)) &&
    (fullName === undefined || contains(account.fullName, fullName))
  );
}

function contains(text: string, part: string): boolean {
  return folded(text).includes(folded(part));
}

/** In one case and one form: an é may come as one character or as an e and its accent. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** By creation time; accounts of one creation time by id, so that every account has one place. */
function byPlace(left: Place, right: Place): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

function cursorAt({ createdAt, id }: Place): string {
  return `${createdAt}.${id}`;
}

function placeOf(cursor: string): Place | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}
