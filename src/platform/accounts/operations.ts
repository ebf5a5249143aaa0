import { type ResourceApi, accountId, everyError, withoutNotFound } from "../operations.ts";

/** The operations and events of accounts, as the interface describes them. */
export const accountApi = {
  operations: {
    listAccounts: {
      method: "GET",
      path: "/order/v1/banking/accounts",
      tag: "Accounts",
      summary: "List accounts",
      description: "Lists the company's banking accounts page by page. Balances are not included.",
      authenticated: true,
      parameters: {},
      query: "ListAccountsQuery",
      response: "AccountList",
      successStatus: 200,
      errors: withoutNotFound,
      assumedErrors: [],
      errorForm: "common",
    },
    getAccountBalance: {
      method: "GET",
      path: "/order/v1/banking/accounts/{accountId}/balance",
      tag: "Accounts",
      summary: "Get the balance of an account",
      description: "Reads what the account can spend now, in BRL.",
      authenticated: true,
      parameters: { accountId },
      response: "AccountBalance",
      successStatus: 200,
      errors: everyError,
      assumedErrors: [],
      errorForm: "common",
    },
  },
  statuses: {
    AccountList: [{ of: "account", in: "data", id: "id", status: "status" }],
  },
} as const satisfies ResourceApi;
