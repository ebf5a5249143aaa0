import type { ResourceApi } from "../operations.ts";

/** The operations and events of deposit banks, as the interface describes them. */
export const depositBankApi = {
  operations: {
    listDepositBanks: {
      method: "GET",
      path: "/v1/orders/deposit/banks",
      tag: "Orders",
      summary: "List the banks that take deposits",
      description: "Lists the banks that a DEPOSIT order may name by bankSlug.",
      authenticated: true,
      parameters: {},
      response: "DepositBankList",
      successStatus: 200,
      errors: ["INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
      assumedErrors: ["INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"],
      errorForm: "common",
      assumption: "order.deposit-banks",
    },
  },
} as const satisfies ResourceApi;
