import type { CauseCode } from "../../../src/checks/cause-texts.ts";
import type { Design } from "../../partners/choices.ts";
import type { KindName } from "../../../src/checks/explore/deviations.ts";

/** A bug of a payer, with the smallest schedule that shows it. */
interface Planted {
  readonly design: Design;
  readonly scenario?: "batch" | "refund";
  /** True if only a process that is killed shows the bug. */
  readonly isKilled?: true;
  readonly only?: readonly KindName[];
  /** The duration of the work after the answers, over sockets. Absent if there is no such work. */
  readonly settleMs?: number;
  readonly schedule: string;
  readonly cause: CauseCode;
}

const TWO_KEYS = { schedule: "call-answer-lost-1", cause: "new-key-for-retry" } as const;

export const planted = {
  "new key": { design: { calls: "new key for each try" }, ...TWO_KEYS },
  "key stored late": { design: { calls: "key stored after the answer" }, ...TWO_KEYS },
  "new externalId": { design: { calls: "new externalId for each try" }, ...TWO_KEYS },
  "stored after its own answer": {
    design: { calls: "stored after its own answer" },
    isKilled: true,
    only: ["crashes"],
    schedule: "killed-in-call-1",
    cause: "not-stored-before-call",
  },
  "error taken for not done": {
    design: { calls: "takes an error for not done" },
    only: ["call-answer-lost", "call-fails-after"],
    schedule: "call-answer-lost-1",
    cause: "error-taken-for-not-done",
  },
  "gives up": { design: { calls: "gives up" }, schedule: "call-refused-1", cause: "gave-up" },
  "old token": {
    design: { calls: "keeps an old token" },
    schedule: "token-expired-1",
    cause: "token-not-renewed",
  },
  "repeats a 4xx": {
    design: { calls: "repeats a 4xx" },
    only: ["token-expired"],
    schedule: "token-expired-1",
    cause: "repeated-refusal",
  },
  "repeats a 429 at once": {
    design: { calls: "takes Retry-After for milliseconds" },
    schedule: "call-limited-1",
    cause: "repeated-refusal",
  },
  "key with the number of the try": {
    design: { calls: "key with the number of the try", shown: "all that is stored" },
    only: ["call-refused"],
    schedule: "call-refused-1",
    cause: "new-key-for-retry",
  },
  "batch sent again": {
    design: { batches: "whole" },
    scenario: "batch",
    schedule: "call-refused-1",
    cause: "batch-sent-again",
  },
  "batch sent again until one part fails": {
    design: { batches: "whole until one fails" },
    scenario: "batch",
    only: ["call-answer-lost"],
    schedule: "call-answer-lost-1",
    cause: "batch-sent-again",
  },
  "new key for a refund": {
    design: { refunds: "new key for each try" },
    scenario: "refund",
    ...TWO_KEYS,
    schedule: "call-answer-lost-2",
  },
  "mark before work": {
    design: { marks: "marks before it works", shown: "all that is stored" },
    isKilled: true,
    schedule: "killed-before-answer-1",
    cause: "marked-before-work",
  },
  "marks in memory": {
    design: { recognition: "in memory only", shown: "all that is stored" },
    isKilled: true,
    only: ["crashes"],
    schedule: "killed-before-answer-1",
    cause: "handled-events-forgotten",
  },
  "answer before storing": {
    design: { marks: "answers before it stores" },
    isKilled: true,
    settleMs: 300,
    schedule: "killed-after-answer-1",
    cause: "acknowledged-before-stored",
  },
  "queue in memory": {
    design: { answers: "202 and a queue in memory" },
    isKilled: true,
    scenario: "batch",
    schedule: "killed-in-call-1",
    cause: "acknowledged-before-stored",
  },
} as const satisfies Readonly<Record<string, Planted>>;

export type PlantedName = keyof typeof planted;

export function plantedBug(name: PlantedName): Planted {
  return planted[name];
}

/** The right payers: one trusts its stored key, one looks its orders up, and two have a worker. */
export const rightPayers: readonly Design[] = [
  {},
  { calls: "look-up first" },
  { answers: "202 and a worker" },
  { calls: "look-up first", answers: "202 and a worker" },
];
