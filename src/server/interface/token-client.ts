import type { ClientCredentials } from "../../platform/companies/access.ts";
import { readTextBody } from "../request-body.ts";

/**
 * The credentials of HTTP Basic, whose parts are form-encoded (RFC 6749, 2.3.1), or else of the form. A Basic
 * header that cannot be read names no client.
 */
export function credentialsOf(form: URLSearchParams, authorization: string | undefined): ClientCredentials {
  if (!isBasic(authorization)) {
    return { clientId: form.get("client_id") ?? "", clientSecret: form.get("client_secret") ?? "" };
  }
  const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1] ?? "";
  const [clientId = "", ...secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
  return { clientId: decodeFormPart(clientId), clientSecret: decodeFormPart(secret.join(":")) };
}

/** Whether a header says that it carries HTTP Basic, well or badly. */
export function isBasic(authorization: string | undefined): authorization is string {
  return /^Basic\b/i.test(authorization ?? "");
}

/** The client that a token request names; its body is read to its end. */
export async function clientIdOf(request: Request): Promise<string> {
  const body = await readTextBody(request);
  const form = new URLSearchParams("text" in body ? body.text : "");
  return credentialsOf(form, request.headers.get("authorization") ?? undefined).clientId;
}

function decodeFormPart(part: string): string {
  return new URLSearchParams(`part=${part}`).get("part") ?? "";
}
