import { type Loop, accepted, allLoops, charged, order, payout, refund } from "./loops.ts";
import { calibrated, deviations, storyOf } from "./traffic.ts";
import { expect, test } from "vitest";
import { recordedTrafficOf } from "./recorded.ts";

/** Loops in which a second or two pass. */
const timed: readonly (readonly [string, Loop])[] = [
  ["payout.pix-delay", { value: "PT1S", story: `${payout("payout.pix")}\n- advance: PT1.5S` }],
  ["charge.schedule-delay", { value: "PT1S", story: `${charged}\n- advance: PT1.5S` }],
  [
    "cancellation.delay",
    {
      value: "PT1S",
      story: `${accepted()}
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: PT1.5S`,
    },
  ],
  [
    "refund.delay",
    {
      value: "PT1S",
      story: `${order("order.pix")}
- act: order.pay
  on: \${order.id}
${refund("1.00")}
- advance: PT1.5S`,
    },
  ],
  [
    "webhook.timeout",
    {
      value: "PT2S",
      story: `- receiver: { answers: [timeout] }
${payout("payout.pix")}
- advance: PT6S`,
    },
  ],
];

/** What shows in answers, refusals and events needs no time to pass. */
const timeless = allLoops.filter(([, { story }]) => !/advance|^start:/m.test(story));

test.each([...timeless, ...timed])("a recorded platform with another $0 is recognised", async (id, loop) => {
  const platform = { ...loop.with, [id]: loop.value };
  const { result, entries } = await recordedTrafficOf(storyOf(loop.story), platform);
  expect(result.failure?.message).toBeUndefined();
  const report = calibrated({ "session.har": entries });
  expect(report.config.assumptions).toEqual(platform);
  expect(deviations(report).toSorted()).toEqual(Object.keys(platform).toSorted());
  expect(report.shape).toEqual([]);
  expect(report.notes).toEqual([]);
});
