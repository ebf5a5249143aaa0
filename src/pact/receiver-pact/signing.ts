import { signatureOf } from "../../webhooks/signature.ts";

/** The header by which a pact tells the signing proxy how to sign; it goes no further. */
export const SIGN_HEADER = "X-Sandbox-Sign";

/** How a delivery is signed: as it should be, or in one of the ways in which it must not. */
export type Signing = keyof typeof signers;

type Signer = (secret: string, body: Buffer) => string | undefined;

const signers = {
  valid: signatureOf,
  "wrong-secret": (secret, body) => signatureOf(`not ${secret}`, body),
  "empty-secret": (_secret, body) => signatureOf("", body),
  "other-bytes": (secret, body) => signatureOf(secret, Buffer.concat([body, Buffer.from("\n")])),
  short: () => "sha256=abc",
  none: () => undefined,
} as const satisfies Record<string, Signer>;

/** The signature of a body in a way; undefined for none, and a way that nobody knows is as it should be. */
export function signedAs(way: string, secret: string, body: Buffer): string | undefined {
  const signer: Signer = Object.hasOwn(signers, way) ? signers[way as Signing] : signatureOf;
  return signer(secret, body);
}
