import type { ExploreResult } from "../../../src/checks/explore/exploration.ts";

const EVENTS = ["SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED", "ORDER-PAYIN.PAID"];

const common = {
  alike: [],
  replay: "sandbank run explore/life.yaml --receiver http://127.0.0.1:3000/webhooks",
  state: { charges: { "charge-1": { status: "scheduled" } } },
};

/** A report with three schedules and two causes. */
export const EXPLORED: ExploreResult = {
  scenario: "A charge is paid",
  file: "life.yaml",
  seed: 1,
  events: EVENTS.map((event, index) => ({ index: index + 1, event, object: "charge", line: 9, column: 5 })),
  calls: [{ index: 1, operation: "createScheduledPayment", object: "charge" }],
  depth: 2,
  schedules: { tried: 96, total: 120, skipped: 24 },
  ignored: ["$.seenAt"],
  notes: [],
  notTried: ["books: none declared"],
  verdict: "diverges",
  cells: [
    { event: 1, kind: "late", result: "ok" },
    { event: 2, kind: "twice-late", result: "diverged" },
    { event: 3, kind: "early", result: "not-tried" },
    { call: 1, kind: "call-answer-lost", result: "diverged" },
  ],
  divergences: [
    {
      ...common,
      deviations: [{ event: 2, kind: "twice-late" }],
      title: "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED came twice, the second time after PAID",
      differences: [{ path: '$.charges["charge-1"].status', baseline: "paid", found: "scheduled" }],
      arrivals: [
        { event: 1, attempt: 1, status: 200 },
        { event: 2, attempt: 1, status: 200 },
        { event: 3, attempt: 1, status: 200 },
        { event: 2, attempt: 2, status: null, error: "reset" },
      ],
      cause: {
        code: "older-overwrites-newer",
        text: "An old event overwrites a newer state. Compare updatedAt, or read the object from the API.",
        evidence: [],
      },
    },
    {
      ...common,
      deviations: [{ call: 1, kind: "call-answer-lost" }],
      title: "createScheduledPayment (call 1) was carried out, and its answer was lost",
      words: "100.00 left the account twice",
      differences: [{ path: "$platform.charges[1]", baseline: undefined, found: { status: "PAID" } }],
      arrivals: [{ event: 2, attempt: 1, status: 200 }],
      cause: {
        code: "new-key-for-retry",
        text: "Repeated under a new idempotency key, so the work is done twice.",
        evidence: [],
      },
    },
    {
      ...common,
      deviations: [{ event: 3, kind: "late" }],
      title: "ORDER-PAYIN.PAID came late",
      differences: [{ path: "$.paid", baseline: true, found: false }],
      arrivals: [{ event: 3, attempt: 1, status: 500 }],
      cause: {
        code: "older-overwrites-newer",
        text: "An old event overwrites a newer state. Compare updatedAt, or read the object from the API.",
        evidence: [],
      },
    },
  ],
  state: { charges: { "charge-1": { status: "paid" } } },
};
