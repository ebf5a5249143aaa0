import type { AccountStatus } from "./account.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";

export type AccountAction = "activate" | "deactivate" | "close" | "deposit";

/** The life of an account (assumption: account.transitions); money comes in unless it is CLOSED. */
export const accountLifecycle = {
  resource: "account",
  initial: "ACTIVE",
  states: ["ACTIVE", "INACTIVE", "CLOSED"],
  transitions: [
    { from: ["INACTIVE"], action: "activate", to: "ACTIVE" },
    { from: ["ACTIVE"], action: "deactivate", to: "INACTIVE" },
    { from: ["ACTIVE", "INACTIVE"], action: "close", to: "CLOSED" },
    { from: ["ACTIVE"], action: "deposit", to: "ACTIVE" },
    { from: ["INACTIVE"], action: "deposit", to: "INACTIVE" },
  ],
} as const satisfies Lifecycle<AccountStatus, AccountAction>;
