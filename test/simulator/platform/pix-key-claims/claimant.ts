import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import {
  ACME_ACCOUNT,
  type Answered,
  openPartner as openDefaultPartner,
  type Partner,
  type UntypedOptions,
} from "../../../partner.ts";
import { assertDefined } from "../../../../src/simulator/engine/assertion.ts";

export const GLOBEX_ACCOUNT = "22222222-2222-4222-8222-222222222222";
export const ACME_KEY = "contas@acme.example";

/** The company that sends the request; acme by default. */
export interface Claimant {
  readonly accountId?: string;
  readonly token?: string;
}

export const GLOBEX: Claimant = { accountId: GLOBEX_ACCOUNT, token: "globex-token" };

/** A sandbox in which an e-mail can change its owner by a claim, as a phone can. */
export function openPartner(options: UntypedOptions = {}): Promise<Partner> {
  const assumptions = { "claim.email-ownership": "accept", ...options.assumptions };
  return openDefaultPartner({ ...options, assumptions });
}

let keys = 0;

/** A fresh idempotency key. */
export function freshKey(): string {
  return `00000000-0000-4000-8000-${String(++keys).padStart(12, "0")}`;
}

/** Calls one of the endpoints of claims, under `…/keys/claims`. */
export function askClaims(
  partner: Partner,
  path: string,
  {
    accountId = ACME_ACCOUNT,
    token = "acme-token",
    body,
    key = freshKey(),
  }: Claimant & { body?: unknown; key?: string } = {},
): Promise<Answered> {
  return partner.ask("POST", `/order/v1/banking/accounts/${accountId}/keys/claims${path}`, {
    token,
    key,
    ...(body !== undefined && { body }),
  });
}

export function email(value: string): object {
  return { type: "OWNERSHIP", key: { type: "EMAIL", value } };
}

/** Opens a claim and returns the body of the answer. */
export async function openClaim(
  partner: Partner,
  body: object = email("maria@mail.example"),
  who: Claimant = {},
): Promise<SandboxObject> {
  const answered = await askClaims(partner, "", { ...who, body });
  if (answered.status !== 201) throw new Error(`no claim was opened: ${JSON.stringify(answered.body)}`);
  return answered.body;
}

/** Every message of the inbox, oldest first. */
export async function inboxOf(partner: Partner): Promise<SandboxObject[]> {
  return (await partner.ask("GET", "/sandbox/inbox")).body["data"] as SandboxObject[];
}

/** The code that was sent last for a validation. */
export async function codeOf(partner: Partner, validationId: string): Promise<string> {
  const messages = await inboxOf(partner);
  const message = messages.findLast((one) => one["validationId"] === validationId);
  return assertDefined(message, `a message about ${validationId}`)["code"] as string;
}

/** Six digits that are not this code. */
export function notThis(code: string): string {
  return code === "000000" ? "000001" : "000000";
}

export async function statusOf(partner: Partner, claimId: string): Promise<string> {
  return (await partner.ask("GET", `/sandbox/resources/claims/${claimId}`)).body["status"] as string;
}

export function resend(partner: Partner, validationId: string, who: Claimant = {}): Promise<Answered> {
  return askClaims(partner, "/resend", { ...who, body: { validationId } });
}

export function confirm(
  partner: Partner,
  validationId: string,
  code: string,
  who: Claimant = {},
): Promise<Answered> {
  return askClaims(partner, "/confirm", { ...who, body: { validationId, code } });
}
