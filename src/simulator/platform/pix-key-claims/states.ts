import { assumption } from "../assumptions/assumptions.ts";
import { claimLifecycle, claims, validationLifecycle, validations } from "./claim.ts";
import { later } from "../later.ts";
import { stateMachine } from "../state-machine.ts";

export const claimStates = stateMachine(claims, claimLifecycle, {
  arm: {
    "claim.resolution": (tx, { id, createdAt }) => {
      const due = later(createdAt, assumption(tx, "claim.resolution-period"));
      tx.arm({ kind: "claim.resolution", owner: id, due });
    },
    "claim.completion": (tx, { id, createdAt, type }) => {
      if (type !== "OWNERSHIP") return;
      const due = later(createdAt, assumption(tx, "claim.completion-period"));
      tx.arm({ kind: "claim.completion", owner: id, due });
    },
  },
});

export const validationStates = stateMachine(validations, validationLifecycle, {
  arm: {
    "claim.expire-code": (tx, { id, expiresAt }) =>
      tx.arm({ kind: "claim.expire-code", owner: id, due: expiresAt }),
  },
});
