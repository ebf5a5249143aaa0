import { expect, test } from "vitest";

import { signatureOf } from "../../../src/simulator/api/signature.ts";
import {
  type MismatchQuestion,
  explainMismatch,
} from "../../../src/simulator/webhooks/signature-mismatch.ts";

const SECRET = "acme-webhook-secret";
const BODY = '{"id":"evt-1","name":"São \\u00e9","path":"a/b","amount":10.50}\n';

/** What the receiver made of the body before it verified, and the finding that says so. */
const CHANGED: ReadonlyArray<readonly [cause: string, what: string, seen: string | Uint8Array]> = [
  ["empty-body", "nothing was left to read", ""],
  ["trailing-newline", "it was trimmed", BODY.trimEnd()],
  ["trailing-newline", "a newline came on top", `${BODY}\n`],
  ["line-endings", "its line endings became CRLF", BODY.replace("\n", "\r\n")],
  ["byte-order-mark", "a byte order mark came in front", `\ufeff${BODY}`],
  ["charset", "it was read as latin1", Buffer.from(Buffer.from(BODY).toString("latin1"))],
  ["charset", "it was written as latin1", Buffer.from(BODY, "latin1")],
  ["charset", "it was decomposed", BODY.normalize("NFD")],
  ["base64", "a gateway handed it on in base64", Buffer.from(BODY).toString("base64")],
  ["reserialized-json", "it was parsed and written again", JSON.stringify(JSON.parse(BODY))],
  ["reserialized-json", "it was indented", JSON.stringify(JSON.parse(BODY), null, 2)],
  [
    "reserialized-json",
    "it was written with blanks and escapes",
    String.raw`{"id": "evt-1", "name": "S\u00e3o \u00e9", "path": "a/b", "amount": 10.5}`,
  ],
  [
    "reserialized-json",
    "it was written with escaped slashes",
    String.raw`{"id":"evt-1","name":"S\u00e3o \u00e9","path":"a\/b","amount":10.5}`,
  ],
  ["reserialized-json", "its keys were sorted", '{"amount":10.5,"id":"evt-1","name":"São é","path":"a/b"}'],
  ["truncated-body", "it was cut", BODY.slice(0, 20)],
];

test.each(CHANGED)("%s is found by comparing when %s", (cause, _, seen) => {
  const bodySeen = Buffer.from(seen);
  expect(causesOf({ header: signatureOf(SECRET, Buffer.from(BODY)), bodySeen })).toEqual([cause]);
});

test.each(CHANGED)("%s is found by the digest alone when %s", (cause, _, seen) => {
  expect(causesOf({ header: signatureOf(SECRET, Buffer.from(seen)) })).toEqual([cause]);
});

test.each([
  ["changed-json", BODY.replace("10.50", "90.50")],
  ["other-body", "id=evt-1&amount=10.50"],
  ["reserialized-json", '{"amount" : 1.05e1, "id":"evt-1","path":"a/b","name":"São é"}'],
])("%s is found where the body has no usual change", (cause, seen) => {
  expect(causesOf({ header: signatureOf(SECRET, Buffer.from(BODY)), bodySeen: Buffer.from(seen) })).toEqual([
    cause,
  ]);
});

test.each([
  [["missing-header"], undefined],
  [["missing-header"], " "],
  [["missing-prefix"], right().slice(7)],
  [["wrong-prefix"], right().replace("sha256=", "sha1=")],
  [["wrong-prefix"], right().replace("sha256=", "SHA256=")],
  [["repeated-header"], `${right()}, ${right()}`],
  [["upper-case"], `sha256=${right().slice(7).toUpperCase()}`],
  [["malformed-digest"], "sha256="],
  [["malformed-digest"], right().slice(0, -1)],
  [["malformed-digest"], `${right()}00`],
  [["malformed-digest"], "sha256=zz"],
  [["unknown"], `sha256=${"0".repeat(64)}`],
  [["empty-secret"], signatureOf("", Buffer.from(BODY))],
  [["padded-secret"], signatureOf(`${SECRET}\n`, Buffer.from(BODY))],
  [["padded-secret"], signatureOf(`"${SECRET}"`, Buffer.from(BODY))],
  [["other-secret"], signatureOf("globex-webhook-secret", Buffer.from(BODY))],
  [["missing-prefix", "other-secret"], signatureOf("globex-webhook-secret", Buffer.from(BODY)).slice(7)],
  [["upper-case", "empty-secret"], `sha256=${signatureOf("", Buffer.from(BODY)).slice(7).toUpperCase()}`],
])("the findings %j explain the header %s", (causes, header) => {
  expect(causesOf({ header })).toEqual(causes);
});

test("another secret is named, and neither a secret nor a digest is shown", () => {
  const header = signatureOf("globex-webhook-secret", Buffer.from(BODY));
  const [finding] = explainMismatch({ ...question(), header });
  expect(finding?.message).toContain("globex");
  expect(finding?.message).not.toContain("globex-webhook-secret");
  expect(finding?.message).not.toContain(header.slice(7));
});

test("two mistakes are two findings", () => {
  const bodySeen = Buffer.from(BODY.trimEnd());
  const header = signatureOf("globex-webhook-secret", bodySeen);
  expect(causesOf({ header, bodySeen })).toEqual(["other-secret", "trailing-newline"]);
});

test("a signature that verifies over the body seen matches", () => {
  expect(causesOf({ header: right() })).toEqual(["matches"]);
});

test("a body that is not JSON, or is megabytes long, is explained too", () => {
  const body = Buffer.alloc(2_000_000, "x");
  expect(causesOf({ body, header: signatureOf(SECRET, body.subarray(0, 1_048_576)) })).toEqual([
    "truncated-body",
  ]);
  expect(causesOf({ body, header: right() })).toEqual(["unknown"]);
});

function right(): string {
  return signatureOf(SECRET, Buffer.from(BODY));
}

function question(): MismatchQuestion {
  const otherSecrets = { "the secret of globex": "globex-webhook-secret" };
  return { secret: SECRET, otherSecrets, body: Buffer.from(BODY), header: right() };
}

function causesOf(asked: Partial<MismatchQuestion>): string[] {
  return explainMismatch({ ...question(), ...asked }).map(({ cause }) => cause);
}
