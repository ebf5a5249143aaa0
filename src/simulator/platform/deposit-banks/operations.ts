import { type ResourceApi, withoutNotFound } from "../operations.ts";

/** The operations and events of deposit banks, as the platform API describes them. */
export const depositBankApi = {
  operations: {
    listDepositBanks: {
      method: "GET",
      path: "/v1/orders/deposit/banks",
      tag: "Orders",
      summary: "List the banks that take deposits",
      description: "Lists the banks for the bankSlug of a DEPOSIT order.",
      response: "DepositBankList",
      errors: withoutNotFound,
      assumption: "order.deposit-banks",
    },
  },
} as const satisfies ResourceApi;
