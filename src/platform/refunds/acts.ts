import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { failRefund, rejectRefund, settleRefund } from "./outcome.ts";
import { refunds } from "./refund.ts";

interface FailureFields {
  readonly message?: string;
}

/** What the institutions make of a refund. */
export const refundActs = [
  act({
    name: "refund.settle",
    collection: "refunds",
    schema: null,
    summary: "The money arrives with the payer.",
    run: (tx, { id }) => void settleRefund(tx, actObject(tx, refunds, id)),
  }),
  act<FailureFields>({
    name: "refund.reject",
    collection: "refunds",
    schema: "RefundFailureFields",
    summary: "The payer's institution turns the refund down; its amount is free again.",
    run: (tx, { id, fields }) => void rejectRefund(tx, actObject(tx, refunds, id), fields.message),
  }),
  act<FailureFields>({
    name: "refund.fail",
    collection: "refunds",
    schema: "RefundFailureFields",
    summary: "The refund fails for a technical reason; its amount is free again.",
    run: (tx, { id, fields }) => void failRefund(tx, actObject(tx, refunds, id), fields.message),
  }),
];
