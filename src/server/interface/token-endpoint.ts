import type { Answering, Handler, NamedRequest } from "../environment.ts";
import type { Operation } from "../../simulator/api/operations.ts";

import type { Problem } from "../../simulator/engine/refusal.ts";
import type { Transaction } from "../../simulator/engine/transaction.ts";
import type { InboundRequest } from "../../simulator/worlds/inbound-request.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { answerWithFaults, type CallFaultListener, hasFaults } from "./call-faults.ts";
import { durationMs } from "../../simulator/engine/instant.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { assumption } from "../../simulator/platform/assumptions/assumptions.ts";
import { credentialsOf, isBasic } from "./client-credentials.ts";
import {
  type ClientCredentials,
  ORDER_SCOPE,
  issueToken,
} from "../../simulator/platform/companies/access-token.ts";
import { jsonAnswer } from "../answer.ts";
import { readTextBody } from "../request-body.ts";

/** The problem of a token request, with OAuth's codes (RFC 6749, 5.2). */
interface TokenRefusal {
  readonly status: 400 | 401;
  readonly error: string;
  readonly description: string;
}

const SCOPES: readonly string[] = [ORDER_SCOPE, `${ORDER_SCOPE}/.default`];
const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" };

/** A token request that was read: its form, its client, and the client's world. */
interface TokenRequest {
  readonly form: URLSearchParams;
  readonly credentials: ClientCredentials;
  readonly world: World;
  /** The problem of the whole body. */
  readonly problem: Problem | undefined;
}

/** Answers requests for a token, only for client credentials (assumption: auth.token-endpoint). */
export function answerTokenRequests(
  worlds: Worlds,
  operation: Operation,
  listener: CallFaultListener | undefined,
): Handler<NamedRequest> {
  return async function answerTokenRequest(named) {
    const body = await readTextBody(named);
    const form = new URLSearchParams("text" in body ? body.text : "");
    const credentials = credentialsOf(form, named.request.headers.get("authorization") ?? undefined);
    const world = worlds.ofCredential(credentials.clientId) ?? worlds.default;
    const problem = "problem" in body ? body.problem : undefined;
    const answer = (): Answering => answerRead(worlds, named, { form, credentials, world, problem });
    if (!hasFaults(world)) return answer();
    const call = { worlds, operation, named, world, reading: undefined };
    return answerWithFaults(call, answer, listener);
  };
}

/** Refuses a token request, or issues a token. */
async function answerRead(
  worlds: Worlds,
  { inbound, request }: NamedRequest,
  { form, credentials, world, problem }: TokenRequest,
): Promise<Response> {
  const refuse = (refused: TokenRefusal): Response => refusalOf(worlds, refused, inbound);
  if (problem !== undefined) return refuse(invalid(problem.description));
  const { headers } = request;
  const refusal =
    formRefusal(form, headers.get("content-type") ?? undefined) ??
    clientRefusal(form, credentials, isBasic(headers.get("authorization") ?? undefined)) ??
    scopeRefusal(form);
  if (refusal !== undefined) return refuse(refusal);
  await world.clock.ready();
  const [company] = world.records.find(companies, "clientId", credentials.clientId);
  if (company !== undefined) inbound.sentBy(company.id);
  const issue = (tx: Transaction) => ({
    token: issueToken(tx, credentials, world.credentialSuffix),
    lifetimeMs: durationMs(assumption(tx, "auth.token-ttl")),
  });
  const outcome = world.execute({ by: "call", name: "issueToken" }, issue, inbound);
  const { token, lifetimeMs = 0 } = outcome.ok ? outcome.value : {};
  if (token === undefined) return refuse(unknownClient());
  world.setTokenExpiry(token.id, world.clock.wallNow() + lifetimeMs);
  const seconds = Math.floor(lifetimeMs / 1000);
  const answer = {
    token_type: "Bearer",
    expires_in: seconds,
    ext_expires_in: seconds,
    access_token: token.id,
  };
  return jsonAnswer(world, 200, answer, NO_STORE, inbound);
}

const PARAMETERS = ["grant_type", "client_id", "client_secret", "scope"];

function formRefusal(form: URLSearchParams, contentType: string | undefined): TokenRefusal | undefined {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? "")) {
    return invalid(
      `The content type must be application/x-www-form-urlencoded; found ${contentType?.trim() || "none"}.`,
    );
  }
  const repeated = PARAMETERS.find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined) return invalid(`The field "${repeated}" is repeated. Send it once.`);
  const grant = form.get("grant_type");
  if (grant === null) return invalid("grant_type is missing. Send grant_type=client_credentials.");
  if (grant !== "client_credentials") {
    const description = `grant_type must be client_credentials; found "${grant.slice(0, 60)}".`;
    return { status: 400, error: "unsupported_grant_type", description };
  }
  return undefined;
}

/**
 * Returns the refusal of a wrong client. With HTTP Basic, the form may repeat the client (RFC 6749, 3.2.1), but not
 * name another client.
 */
function clientRefusal(
  form: URLSearchParams,
  { clientId, clientSecret }: ClientCredentials,
  isOfHeader: boolean,
): TokenRefusal | undefined {
  if (clientId === "") {
    if (isOfHeader) return unknownClient();
    return invalid("client_id is missing. Send it in the form, or with HTTP Basic.");
  }
  const isSame =
    (form.get("client_id") ?? clientId) === clientId &&
    (form.get("client_secret") ?? clientSecret) === clientSecret;
  if (isSame) return undefined;
  return invalid("The form and HTTP Basic name different clients. Send one of them.");
}

function scopeRefusal(form: URLSearchParams): TokenRefusal | undefined {
  const scope = form.get("scope");
  if (scope === null) return invalid(`scope is missing. Send scope=${ORDER_SCOPE}/.default.`);
  if (!SCOPES.includes(scope)) {
    const description = `scope must be ${SCOPES.join(" or ")}; found "${scope.slice(0, 60)}".`;
    return { status: 400, error: "invalid_scope", description };
  }
  return undefined;
}

function invalid(description: string): TokenRefusal {
  return { status: 400, error: "invalid_request", description };
}

function unknownClient(): TokenRefusal {
  return { status: 401, error: "invalid_client", description: "The client or its secret is not known." };
}

function refusalOf(
  worlds: Worlds,
  { status, error, description }: TokenRefusal,
  inbound: InboundRequest | undefined,
): Response {
  const challenge = status === 401 ? { "www-authenticate": 'Basic realm="sandbank"' } : {};
  return jsonAnswer(
    worlds,
    status,
    { error, error_description: description },
    { ...NO_STORE, ...challenge },
    inbound,
  );
}
