import { type ResourceApi, accountId, everyError, withoutNotFound } from "../operations.ts";

/** The operations and events of accounts, as the platform API describes them. */
export const accountApi = {
  operations: {
    listAccounts: {
      method: "GET",
      path: "/order/v1/banking/accounts",
      tag: "Accounts",
      summary: "List accounts",
      description: "Lists the company's banking accounts page by page. Balances are not included.",
      query: "ListAccountsQuery",
      response: "AccountList",
      errors: withoutNotFound,
    },
    getAccountBalance: {
      method: "GET",
      path: "/order/v1/banking/accounts/{accountId}/balance",
      tag: "Accounts",
      summary: "Get the balance of an account",
      description: "Reads the amount that the account can spend now, in BRL.",
      parameters: { accountId },
      response: "AccountBalance",
      errors: everyError,
    },
  },
  statuses: {
    AccountList: [{ of: "account", in: "data", id: "id", status: "status" }],
  },
} as const satisfies ResourceApi;
