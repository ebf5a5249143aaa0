import type { Doubted, DoubtReport } from "../../../src/checks/doubt/mutants.ts";

const TEST = "npm test";

function doubted(given: Pick<Doubted, "id" | "says" | "verdict"> & Partial<Doubted>): Doubted {
  const { id, value = null } = given;
  return {
    family: value === null ? "sabotage" : "doubts",
    value: null,
    instead: null,
    confirmed: null,
    failed: [],
    files: [],
    message: null,
    output: "",
    seconds: 1,
    replay: `SANDBANK_MUTANT=${value === null ? `sabotage:${id}` : `${id}=${value}`} ${TEST}`,
    ...given,
  };
}

/** A report with a mutant of each kind. */
export const DOUBTED: DoubtReport = {
  test: TEST,
  seed: 1,
  first: { seconds: 2, events: ["ORDER-PAYIN.PAID"], operations: ["listAccounts"], assumptions: [] },
  seconds: 192,
  isComparable: true,
  notRun: [],
  mutants: [
    doubted({
      id: "charge.resend-delay",
      says: "charge.resend-delay = PT90M instead of PT30M",
      value: "PT90M",
      instead: "PT30M",
      verdict: "broke",
      confirmed: "not-seen",
      failed: ["a resent charge is booked once"],
      files: ["test/charges.test.ts"],
      message: 'AssertionError: expected "paid", found "scheduled"',
      output: "1 failed",
    }),
    doubted({
      id: "refund.delay",
      says: "refund.delay = PT15S instead of PT5S",
      value: "PT15S",
      instead: "PT5S",
      verdict: "tolerated",
    }),
    doubted({ id: "signatures.wrong", says: "every signature is wrong", verdict: "unnoticed" }),
    doubted({
      id: "event.ORDER-PAYIN.PAID.never",
      says: "ORDER-PAYIN.PAID never comes",
      verdict: "unnoticed",
      known: true,
    }),
    doubted({
      id: "event.ORDER-PAYOUT.PAID.never",
      says: "ORDER-PAYOUT.PAID never comes",
      verdict: "not-reached",
      seconds: null,
    }),
  ],
  counts: {
    broke: 1,
    unnoticed: 2,
    "timed-out": 0,
    tolerated: 1,
    noticed: 0,
    "without-effect": 0,
    overruled: 0,
    "not-reached": 1,
  },
  verdict: "failed",
};
