import type { ClientCredentials } from "../../simulator/platform/companies/access-token.ts";
import { readTextBody, type WithBody } from "../request-body.ts";

/** The paths of the token endpoint (assumption: auth.token-endpoint). */
export const TOKEN_PATHS = ["/oauth2/v2.0/token", "/{tenant}/oauth2/v2.0/token", "/oauth/token"];

/** Returns true for a request to the token endpoint. */
export function asksForToken(method: string, path: string): boolean {
  return method === "POST" && /^(\/[^/]+)?\/oauth2\/v2\.0\/token$|^\/oauth\/token$/.test(path);
}

/**
 * Returns the credentials of HTTP Basic, otherwise the credentials of the form. The parts of HTTP Basic are
 * form-encoded (RFC 6749, 2.3.1). A malformed Basic header names no client.
 */
export function credentialsOf(form: URLSearchParams, authorization: string | undefined): ClientCredentials {
  if (!isBasic(authorization)) {
    return { clientId: form.get("client_id") ?? "", clientSecret: form.get("client_secret") ?? "" };
  }
  const [clientId = "", ...secret] = basicOf(authorization).split(":");
  return { clientId: decodeFormPart(clientId), clientSecret: decodeFormPart(secret.join(":")) };
}

/** Returns true if a header uses HTTP Basic, even if it is malformed. */
export function isBasic(authorization: string | undefined): authorization is string {
  return /^Basic\b/i.test(authorization ?? "");
}

/** Returns the client that a token request names. Reads the whole body. */
export async function clientIdOf(received: WithBody): Promise<string> {
  const body = await readTextBody(received);
  const form = new URLSearchParams("text" in body ? body.text : "");
  return credentialsOf(form, received.request.headers.get("authorization") ?? undefined).clientId;
}

/** Returns a token request with another client id. */
export async function renamedTokenRequest(
  received: WithBody,
  renamed: (clientId: string) => string,
): Promise<Request> {
  const { url, method } = received.request;
  const headers = new Headers(received.request.headers);
  const read = await readTextBody(received);
  const form = new URLSearchParams("text" in read ? read.text : "");
  const clientId = form.get("client_id");
  if (clientId !== null) form.set("client_id", renamed(clientId));
  const basic = basicOf(headers.get("authorization"));
  if (basic !== "") {
    const [client = "", ...secret] = basic.split(":");
    const text = Buffer.from([renamed(client), ...secret].join(":")).toString("base64");
    headers.set("authorization", `Basic ${text}`);
  }
  headers.delete("content-length");
  return new Request(url, { method, headers, body: form.toString() });
}

/** Returns the client and its secret from a Basic header. Empty if the header is missing or malformed. */
function basicOf(authorization: string | null | undefined): string {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1] ?? "";
  return Buffer.from(encoded, "base64").toString("utf8");
}

function decodeFormPart(part: string): string {
  return new URLSearchParams(`part=${part}`).get("part") ?? "";
}
