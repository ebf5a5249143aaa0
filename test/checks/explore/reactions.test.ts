import { expect, test } from "vitest";
import { causeOf } from "../../../src/checks/explore/causes.ts";
import type { DivergenceFacts } from "../../../src/checks/explore/observations.ts";
import { type Reaction, showsLoss } from "../../../src/checks/explore/reactions.ts";

/** Reads exchanges: the number of the event, then `*` if the state changed, and `!` if it was refused. */
function reactions(text: string): Reaction[] {
  return text.split(" ").map((one) => ({
    at: "",
    events: [Number.parseInt(one, 10)],
    isAcknowledged: !one.includes("!"),
    hasEffect: one.includes("*"),
    changes: [],
    lost: [],
  }));
}

/** Events 1, 2 and 3 are about one object, 4 and 5 about another one. */
const events = [1, 2, 3, 4, 5].map((index) => ({
  index,
  event: `EVENT.${index}`,
  collection: "payouts",
  object: "a payout",
  objectId: index <= 3 ? "one" : "other",
  objectNumber: index <= 3 ? 1 : 2,
  occurrence: 1,
  step: 1,
  at: index,
}));

const timeline: DivergenceFacts["timeline"] = {
  events,
  calls: [],
  requests: [],
  stepEnds: [],
  retryAfterMs: 1,
  holdMaxMs: 1,
};

const EVERY = "1* 2* 3* 4* 5*";

/** The facts of a late event. The end of its run is not read, because its reactions are known. */
function evidence(observed: string, baseline = EVERY, others: readonly string[] = []): DivergenceFacts {
  const found = (text: string): DivergenceFacts["all"][number] => ({
    schedule: [{ kind: "late", event: 2 }],
    differences: [{ path: "$.events", baseline: 5, found: 4 }],
    reactions: reactions(text),
    played: {} as DivergenceFacts["played"],
  });
  return {
    ...found(observed),
    timeline,
    all: [observed, ...others].map(found),
    arrivals: [],
    usualReactions: reactions(baseline),
    diverges: () => undefined,
    causeOfLate: () => undefined,
  };
}

test.each([
  ["an event without effect although nothing is missing", "1* 2", EVERY, true],
  ["an event that only the baseline loses", "1* 2* 4* 3* 5*", "1* 2* 3 4* 5*", true],
  ["an event that comes before an earlier one", "1* 3 2* 4* 5*", EVERY, false],
  ["an event that follows a lost one", "2 1* 3 4* 5*", EVERY, false],
  ["an event that is refused at first", "1! 1* 2* 3* 4* 5*", EVERY, false],
  ["the retry of an event that was marked before its work", "1! 1 2* 3* 4* 5*", EVERY, false],
])("%s: %s, in the baseline %s, shows a loss: %s", (_, observed, baseline, isLoss) => {
  expect(showsLoss(reactions(observed), evidence(observed, baseline))).toBe(isLoss);
});

const UNKNOWN = "unknown-object-forgotten";
const UNSTORED = "acknowledged-before-stored";
const BOTH = "event-lost";

test.each([
  ["its object is unknown", evidence("2 1* 3 4* 5*"), UNKNOWN],
  ["an earlier event made its object known", evidence("1* 3 2* 4* 5*"), BOTH],
  ["another schedule loses events too", evidence("2 1* 3 4* 5*", EVERY, ["1* 2"]), BOTH],
  ["the baseline loses another event", evidence("1* 3 2* 4* 5*", "1* 2* 3* 4* 5"), UNSTORED],
])("an early event without trace has the cause that remains if %s", (_, given, cause) => {
  expect(causeOf(given)).toBe(cause);
});
