import { expect, test } from "vitest";
import {
  capabilitiesFlag,
  type Capability,
  isPartOf,
} from "../../../src/checks/certification/capabilities.ts";
import { operations } from "../../../src/simulator/api/operations.ts";

test("charges are a capability of their own, and a part of the subscriptions", () => {
  expect(capabilitiesFlag.read("charges,payouts")).toEqual(["charges", "payouts"]);
  const namesOf = (capability: Capability): string[] =>
    Object.values(operations)
      .filter(({ operationId, tag }) => isPartOf(capability, operationId, tag))
      .map(({ operationId }) => operationId);
  expect(namesOf("charges")).toContain("createScheduledPayment");
  expect(namesOf("charges").every((name) => name.includes("ScheduledPayment"))).toBe(true);
  expect(namesOf("subscriptions")).toEqual(
    expect.arrayContaining(["createSubscription", ...namesOf("charges")]),
  );
});
