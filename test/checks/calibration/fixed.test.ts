import { assumptions } from "../../../src/simulator/platform/catalog.ts";
import { observerOf } from "../../../src/checks/calibration/observers/observers.ts";
import { calibrated, deviations, storyOf, trafficOf } from "./traffic.ts";
import { expect, test } from "vitest";
import { ofCharges } from "./deviations/charges.ts";
import { ofInterface } from "./deviations/interface.ts";
import { ofOrders } from "./deviations/orders.ts";
import { ofPayouts } from "./deviations/payouts.ts";
import { ofSubscriptions } from "./deviations/subscriptions.ts";

const all = { ...ofInterface, ...ofSubscriptions, ...ofCharges, ...ofOrders, ...ofPayouts };

const cases = Object.entries(all).flatMap(([id, one]) =>
  [one].flat().map((deviation) => [id, deviation.observed, deviation] as const),
);

test.each(cases)("a platform that does not keep %s is recognised: %s", async (id, observed, deviation) => {
  const { story, change, isUnseen } = deviation;
  const { entries, result } = await trafficOf(storyOf(story));
  expect(result.failure?.message).toBeUndefined();
  const kept = calibrated({ "a.har": entries });
  const verdictOn = ({ assumptions: verdicts }: typeof kept) => verdicts.find((one) => one.id === id);
  expect(deviations(kept)).toEqual([]);
  expect(verdictOn(kept)?.verdict).toBe(isUnseen === true ? "not-seen" : "confirmed");
  const report = calibrated({ "a.har": change(entries) });
  expect(deviations(report)).toEqual([id]);
  expect(String(verdictOn(report)?.observed?.value)).toContain(observed);
  expect(report.notImitated).toEqual([id]);
  expect(report.config.assumptions).toEqual({});
});

test("every fixed assumption that can be observed has a platform that does not keep it", () => {
  const observable = Object.entries(assumptions)
    .filter(
      ([id, assumption]) =>
        assumption.type.kind === "statement" && typeof observerOf(id, assumption) !== "string",
    )
    .map(([id]) => id);
  expect(observable.filter((id) => !Object.hasOwn(all, id))).toEqual([]);
});
