import { expect, test } from "vitest";

import { signatureOf } from "../../../src/simulator/api/signature.ts";

/** RFC 4231, case 2, and the well-known digest of nothing, so that no code of ours vouches for itself. */
test.each([
  [
    "Jefe",
    "what do ya want for nothing?",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  ["", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"],
])("the signature of a known vector is its digest behind the label", (secret, body, digest) => {
  expect(signatureOf(secret, Buffer.from(body))).toBe(`sha256=${digest}`);
});

test("the signature covers bytes, independent of their encoding", () => {
  const invalidText = Uint8Array.of(0xff, 0x00, 0xfe);
  expect(signatureOf("secret", invalidText)).not.toBe(signatureOf("secret", Buffer.from("\ufffd\0\ufffd")));
});
