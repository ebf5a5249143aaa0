import { randomInt, randomUUID } from "node:crypto";
import { ACME_ACCOUNT, type Partner, payoutBody } from "../../partner.ts";
import { openClaim } from "../../simulator/platform/pix-key-claims/claimant.ts";
import { paidOrder, refundBody } from "../../simulator/platform/refunds/paid-order.ts";

/** A request that carries an idempotency key, and another one for the same operation. */
export interface KeyedRequest {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
  readonly otherBody?: object;
  /** Where the other request differs by its path alone. */
  readonly otherPath?: string;
  readonly successStatus: 200 | 201;
}

/** Every operation of the platform API that has the header, with a request that it accepts. */
export const keyedRequests: Readonly<Record<string, (partner: Partner) => Promise<KeyedRequest>>> = {
  createPayout: async () => ({
    method: "POST",
    path: "/order/v1/banking/order-payouts",
    body: payoutBody(),
    otherBody: payoutBody({ externalId: "payout-2" }),
    successStatus: 201,
  }),
  refundOrder: async (partner) => {
    const { orderId } = await paidOrder(partner, randomUUID());
    const [body, otherBody] = ["1.00", "2.00"].map((amount) => refundBody(orderId, { amount }));
    return {
      method: "PUT",
      path: "/order/v2/refund",
      body: body!,
      otherBody: otherBody!,
      successStatus: 200,
    };
  },
  createTransparentOrder: async () => transparentOrder("v2"),
  createTransparentOrderV3: async () => transparentOrder("v3"),
  resendClaimCode: async (partner) => {
    const [one, other] = [await accountClaim(partner), await accountClaim(partner)];
    return {
      method: "POST",
      path: `/order/v1/banking/accounts/${ACME_ACCOUNT}/keys/claims/resend`,
      body: { validationId: one.validationId },
      otherBody: { validationId: other.validationId },
      successStatus: 200,
    };
  },
  cancelClaim: async (partner) => {
    const [one, other] = [await accountClaim(partner), await accountClaim(partner)];
    return {
      method: "POST",
      path: `/order/v1/banking/accounts/${ACME_ACCOUNT}/keys/claims/${one.claimId}/cancel`,
      otherPath: `/order/v1/banking/accounts/${ACME_ACCOUNT}/keys/claims/${other.claimId}/cancel`,
      successStatus: 200,
    };
  },
};

/** A claim of acme's account for a key of another institution or company. */
export async function accountClaim(partner: Partner): Promise<{ claimId: string; validationId: string }> {
  const { claimId, validationId } = await openClaim(partner, {
    type: "OWNERSHIP",
    key: { type: "PHONE", value: `+5521${randomInt(900_000_000, 999_999_999)}` },
  });
  return { claimId: claimId as string, validationId: validationId as string };
}

function transparentOrder(version: string): KeyedRequest {
  const body = (externalId: string): object => ({
    order: {
      externalId,
      paymentMethod: "PIX",
      partner: "PIX_PARTNER",
      amount: { currency: "BRL", value: "30.00" },
      notificationUrl: "http://receiver.example/orders",
    },
  });
  return {
    method: "PUT",
    path: `/order/${version}/transparent`,
    body: body(`${version}-1`),
    otherBody: body(`${version}-2`),
    successStatus: 200,
  };
}
