import type { ScenarioContext } from "../../../src/tools/scenarios/context.ts";

/** A few operations and bodies to check and run scenarios against. */
export const context: ScenarioContext = {
  operations: {
    issueToken: { method: "POST", path: "/oauth2/v2.0/token", authenticated: false, errorForm: "oauth" },
    createSubscription: { method: "POST", path: "/order/v1/banking/subscriptions" },
    getSubscription: { method: "GET", path: "/order/v1/banking/subscriptions/{id}" },
    createScheduledPayment: { method: "PUT", path: "/public/v1/banking/subscriptions/{id}/payments" },
    createPayout: { method: "POST", path: "/order/v1/banking/order-payouts", idempotencyKey: "text" },
  },
  bodies: {
    subscription: {
      monthly: { frequencyType: "MONTHLY", startDate: "${today}", debtor: { name: "Ana", document: "1" } },
      yearly: { $use: "subscription.monthly", frequencyType: "ANNUAL" },
    },
    circle: { one: { $use: "circle.two" }, two: { $use: "circle.one" } },
  },
};
