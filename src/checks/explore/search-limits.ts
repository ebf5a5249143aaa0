import type { Limit } from "../limit.ts";
import { SEED_MAX } from "../../simulator/engine/random.ts";

/** The numbers of an exploration, for the library and for the command line. */
export const LIMITS = {
  depth: { range: [1, 5], preset: 2, says: "Maximum number of deviations in one run" },
  budget: { range: [1, 1_000_000], preset: 500, says: "Maximum number of schedules" },
  timeMs: { range: [1, 86_400_000], preset: 300_000, says: "Maximum duration of the search" },
  repeat: {
    range: [1, 1_000],
    preset: 5,
    says: "Number of tries for each race over sockets; default with another deviation: 2",
  },
  slowMs: { range: [1, 600_000], preset: 10_000, says: "Delay of the answer of call-slow, in milliseconds" },
  killDelayMs: {
    range: [0, 600_000],
    says: "Milliseconds between a webhook and the kill of your system [default: parts of the time until its answer]",
  },
  settleMs: {
    range: [0, 600_000],
    preset: 200,
    says: "Milliseconds that your system's work may continue after an answer; each wait may take so long",
  },
  seed: { range: [0, SEED_MAX], preset: 1, says: "Seed of ids and random choices" },
} as const satisfies Readonly<Record<string, Limit>>;
