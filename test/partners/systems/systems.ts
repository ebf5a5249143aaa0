import { join, resolve } from "node:path";
import type { CauseCode } from "../../../src/checks/cause-texts.ts";

/** A mistake, the tool and the deviations that show it, and the causes that name it. */
export type Flaw =
  | {
      readonly by: "explore";
      readonly only: string;
      readonly causes: readonly CauseCode[];
      readonly more?: readonly string[];
    }
  | { readonly by: "run" | "receiver check"; readonly says: RegExp };

/** A whole system as the users of its language write it. It knows nothing of this project. */
export interface UsualSystem {
  readonly language: string;
  /** A command that succeeds if the machine has the language. */
  readonly check: readonly string[];
  /** Makes its program in a folder, from the folder `of`. */
  readonly build?: (folder: string) => { readonly of: string; readonly command: readonly string[] };
  readonly scenario: string;
  /** The ports in the scenario, which each test replaces. The first has the webhooks. */
  readonly ports: readonly number[];
  readonly webhooks: string;
  readonly reset: string;
  readonly ready: string;
  /** Writes the command that starts it in a folder, at these ports. */
  readonly start: (folder: string, ports: readonly number[]) => string;
  readonly flaws: Readonly<Record<string, Flaw>>;
}

export const here = resolve("test/partners/systems");

const explored = (only: string, ...causes: readonly CauseCode[]) => ({
  by: "explore" as const,
  only,
  causes,
});

/** The mistakes that all of them can make. */
const common: Readonly<Record<string, Flaw>> = {
  "new key for each try": explored("call-answer-lost", "new-key-for-retry"),
  "gives up after 503": explored("call-refused", "gave-up"),
  "checks no signature": { by: "receiver check", says: /✗ S\d/ },
};

const forgets = explored(
  "early,call-answer-lost",
  "unknown-object-forgotten",
  "unknown-object-forgotten",
  "event-lost",
);
const copies = explored("twice,twice-late", "handled-twice");
const order = explored("late,twice-late", "older-overwrites-newer");
/** Between its events lie days, more than the platform's retries. */
const orderOfDays: Flaw = { ...order, more: ["--beyond-retries"] };
const acknowledged = explored("killed-after-answer", "acknowledged-before-stored");

export const usualSystems: readonly UsualSystem[] = [
  {
    language: "Python",
    check: ["python3", "-c", "import sqlite3"],
    scenario: "school.yaml",
    ports: [5011],
    webhooks: "/hooks/bank",
    reset: "/test/empty",
    ready: "/health",
    start: (folder, [port]) => `PORT=${port} DATABASE='${folder}/school.db' exec python3 '${here}/school.py'`,
    flaws: {
      ...common,
      "takes a lost answer for a failure": explored("call-answer-lost", "error-taken-for-not-done"),
      "forgets what it does not know": forgets,
      "gives up after 429": explored("call-limited", "gave-up"),
      "never renews its token": explored("token-expired", "token-not-renewed"),
      "handles copies": copies,
      "last arrival wins": orderOfDays,
      "answers before it stores": acknowledged,
      "marks before it works": explored("killed-before-answer", "marked-before-work"),
      "outbox in memory": explored("killed-in-call", "state-in-memory", "not-stored-before-call"),
      "checks, then inserts": explored("twice-at-once", "race-of-copies"),
      "books without the bonus": { by: "run", says: /books: paidOut/ },
    },
  },
  {
    language: "Node",
    check: [process.execPath, "-e", "require('node:sqlite')"],
    scenario: "courier.yaml",
    ports: [5012],
    webhooks: "/webhooks/bank",
    reset: "/test/reset",
    ready: "/healthz",
    start: (folder, [port]) =>
      `PORT=${port} DATABASE='${folder}/courier.db' exec '${process.execPath}' --no-warnings '${here}/courier.mjs'`,
    flaws: {
      ...common,
      // A webhook heals a lost answer here, so only a lost call shows it.
      "takes a lost answer for a failure": explored("call-lost", "gave-up", "error-taken-for-not-done"),
      "ignores Retry-After": explored("call-limited", "gave-up", "repeated-refusal"),
      "never renews its token": explored("token-expired", "token-not-renewed"),
      "handles copies": copies,
      "answers before it stores": acknowledged,
      "jobs in memory": explored(
        "killed-after-answer,killed-in-call",
        "state-in-memory",
        "acknowledged-before-stored",
      ),
      "stores the order after the call": explored(
        "killed-in-call,call-answer-lost",
        "new-key-for-retry",
        "not-stored-before-call",
      ),
      "books half of a refund": { by: "run", says: /books: refunded/ },
    },
  },
  {
    language: "Go",
    check: ["go", "version"],
    build: (folder) => ({
      of: join(here, "market"),
      command: ["go", "build", "-o", join(folder, "market"), "."],
    }),
    scenario: "market.yaml",
    ports: [5013, 5014],
    webhooks: "/hooks",
    reset: "/test/reset",
    ready: "/healthz",
    start: (folder, [port, ledger]) =>
      `export PORT=${port} LEDGER_PORT=${ledger} DATA='${folder}'; '${folder}/../market' ledger & exec '${folder}/../market' gateway`,
    flaws: {
      ...common,
      // The transport of Go repeats a call with an idempotency key itself if its connection breaks.
      "new key for each try": explored("call-fails-after", "new-key-for-retry"),
      "gives up after 500": explored("call-fails-after", "error-taken-for-not-done"),
      "forgets what it does not know": forgets,
      "handles copies": copies,
      "last arrival wins": order,
      "spool in memory": acknowledged,
      "journal in memory": explored("killed-after-answer", "state-in-memory", "acknowledged-before-stored"),
      "books gross for net": { by: "run", says: /books: paidOut/ },
    },
  },
];
