import { acceptCancellation, failCancellation, rejectCancellation } from "./answer.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { cancellations } from "./cancellation.ts";

/** How the other side answers a request to cancel. */
export const cancellationActs = [
  act({
    name: "cancellation.accept",
    collection: "cancellations",
    schema: null,
    summary: "The request is accepted, and its object is canceled.",
    run: (tx, { id }) => void acceptCancellation(tx, actObject(tx, cancellations, id)),
  }),
  act({
    name: "cancellation.reject",
    collection: "cancellations",
    schema: null,
    summary: "The request is turned down; its object stays as it is.",
    run: (tx, { id }) => void rejectCancellation(tx, actObject(tx, cancellations, id)),
  }),
  act({
    name: "cancellation.fail",
    collection: "cancellations",
    schema: null,
    summary: "The request comes to nothing for a technical reason.",
    run: (tx, { id }) => void failCancellation(tx, actObject(tx, cancellations, id)),
  }),
];
