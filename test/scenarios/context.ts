import type { ScenarioContext } from "../../src/scenarios/context.ts";

/** A few bodies to check scenarios against. */
export const context: ScenarioContext = {
  bodies: {
    subscription: {
      monthly: { frequencyType: "MONTHLY", startDate: "${today}", debtor: { name: "Ana", document: "1" } },
      yearly: { $use: "subscription.monthly", frequencyType: "ANNUAL" },
    },
    circle: { one: { $use: "circle.two" }, two: { $use: "circle.one" } },
  },
};
