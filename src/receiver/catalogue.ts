import type { Check } from "./check.ts";
import { baselineChecks } from "./checks/baseline.ts";
import { idempotencyChecks } from "./checks/idempotency.ts";
import { orderChecks } from "./checks/order.ts";
import { retryChecks } from "./checks/retry.ts";
import { robustnessChecks } from "./checks/robustness.ts";
import { rotationChecks } from "./checks/rotation.ts";
import { signatureChecks } from "./checks/signature.ts";

/** Every check, in the order in which they are made: the baseline first. */
export const catalogue: readonly Check[] = [
  ...baselineChecks,
  ...signatureChecks,
  ...rotationChecks,
  ...idempotencyChecks,
  ...orderChecks,
  ...retryChecks,
  ...robustnessChecks,
];
