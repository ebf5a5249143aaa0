import type { Counted, MissingPoint } from "./counted.ts";
import { ENGLISH } from "../../reports/page.ts";
import type { Words } from "./words.ts";

/** The English words of the document. */
export const english: Words = {
  title: {
    passed: "The integration has passed",
    failed: "The integration has failed",
    "not-judged": "The integration has not been judged",
  },
  verdicts: { passed: "passed", failed: "failed", "not-judged": "not judged" },
  parts: {
    receiver: "Webhook receiver",
    explore: "Webhooks in every order",
    scenarios: "Scenarios",
    contracts: "Contracts",
    doubt: "Tests in doubt",
    books: "Books",
    client: "Client",
  },
  capabilities: {
    accounts: "accounts",
    charges: "charges",
    claims: "claims",
    orders: "orders",
    payouts: "payouts",
    refunds: "refunds",
    subscriptions: "subscriptions",
    webhooks: "webhooks",
  },
  of: (partner) => `Partner: ${partner}`,
  checked: "What was checked",
  missing: "Missing for a complete integration",
  nothing: "Nothing.",
  how: "How it was checked",
  repeat: "Repeat it",
  secret: "The webhook secret comes from SANDBANK_WEBHOOK_SECRET.",
  findings: undefined,
  columns: ["Part", "Verdict", "Result"],
  page: ENGLISH,
  factColumns: ["What", "Value"],
  facts: { partner: "partner", date: "date", scope: "scope", seed: "seed", digest: "digest" },
  all: "the whole platform API",
  summary: summaryOf,
  missingPoint,
  paragraph: ({ partner, date, scope, version, passed, failed, open, missing }) => [
    `The integration of ${partner ?? "the partner"} with the payments platform was checked on ${date} against sandbank ${version}, a simulation of the platform without real money. The scope is ${scope}.`,
    passed.length > 0 ? `These parts work as required: ${passed.join(", ")}.` : "",
    failed.length > 0
      ? `These parts have mistakes that can lose or double money or messages. Fix them before the integration goes live: ${failed.join(", ")}.`
      : "",
    open.length > 0 ? `These parts could not be judged, so their state is unknown: ${open.join(", ")}.` : "",
    missing > 0
      ? `${missing} points are missing for a complete integration. They are listed and do not change the result.`
      : "",
  ],
};

function summaryOf(counted: Counted): string {
  switch (counted.of) {
    case "schedules":
      return `${counted.tried} schedules tried, ${counted.diverged} diverged.`;
    case "mutants":
      return `${counted.run} mutants run, ${counted.broke} broke the tests, ${counted.unnoticed} went unnoticed.`;
    case "books": {
      const { moments, differences } = counted;
      return `Compared with the ledger at ${moments} quiet moments, ${differences} difference${differences === 1 ? "" : "s"}.`;
    }
    case "client": {
      const { operations, refused, events } = counted;
      return `${operations.join(" of ")} operations called, ${refused.join(" of ")} calls refused; ${events.join(" of ")} events handled.`;
    }
    case "nothing":
      return "It did not run.";
    case "check":
    case "scenario":
    case "interaction": {
      const { of: noun, passed, failed, undecided } = counted;
      const all = `${counted.all} ${noun}${counted.all === 1 ? "" : "s"}`;
      if (failed > 0) return `${failed} of ${all} failed.`;
      if (undecided > 0) return `${undecided} of ${all} could not be judged.`;
      return passed === counted.all ? `${all} passed.` : `${passed} of ${all} passed.`;
    }
  }
}

const NOT_SHOWN = {
  explore: "No scenario was explored. Explore one with --explore FILE.",
  scenarios: "No scenarios were run. Run them with --scenarios DIR.",
  contracts: "No contracts were verified. Verify them with --pacts DIR.",
  receiver: "The receiver was not checked. Check it with --receiver URL.",
  client: "The calls of the client were not checked. Name the sandbox that it called with --target URL.",
};

function missingPoint(point: MissingPoint): string {
  if ("part" in point) return NOT_SHOWN[point.part];
  if ("operation" in point) return `The client never called ${point.operation}.`;
  if ("event" in point) return `The receiver never handled ${point.event}.`;
  if ("refusal" in point) return "The client had no refused call.";
  return `The tests do not notice: ${point.unnoticed}. ${point.means}`;
}
