import type { Limit } from "../limit.ts";

/** The numbers of a receiver check, for the library and for the command line. */
export const CHECK_LIMITS = {
  budget: { range: [1, 100_000], preset: 2_000, says: "Maximum number of requests" },
  rate: { range: [1, 1_000], says: "Maximum number of requests per second [default: unlimited]" },
  timeoutMs: { range: [100, 120_000], preset: 10_000, says: "Time limit of one answer, in milliseconds" },
  timeMs: {
    range: [1, 86_400_000],
    preset: 60_000,
    says: "Time limit of the whole check without the time that the receiver takes",
  },
  settleMs: {
    range: [0, 60_000],
    preset: 200,
    says: "Milliseconds that the receiver's work may continue after an answer; each wait may take so long",
  },
} as const satisfies Readonly<Record<string, Limit>>;
