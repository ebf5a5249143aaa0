import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { claims } from "./claim.ts";
import { completeClaim, denyClaim } from "./answer.ts";

/** How whoever holds the claimed key answers. */
export const claimActs = [
  act({
    name: "claim.complete",
    collection: "claims",
    schema: null,
    summary: "The PIX key changes hands.",
    run: (tx, { id }) => void completeClaim(tx, actObject(tx, claims, id)),
  }),
  act({
    name: "claim.deny",
    collection: "claims",
    schema: null,
    summary: "The holder keeps the PIX key.",
    run: (tx, { id }) => void denyClaim(tx, actObject(tx, claims, id)),
  }),
];
