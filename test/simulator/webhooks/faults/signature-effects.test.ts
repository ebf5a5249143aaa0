import { expect, test } from "vitest";
import { only, openBench, SECRET, signed } from "./on-the-wire.ts";
import type { SignatureFormName } from "../../../../src/simulator/platform/faults/signature-forms.ts";

const HEX = /^[0-9a-f]{64}$/;

const FORMS: Record<SignatureFormName, (header: string, good: string) => void> = {
  flipped: (header, good) => {
    expect(header).not.toBe(good);
    expect(header.slice(0, -1)).toBe(good.slice(0, -1));
    expect(header.slice(7)).toMatch(HEX);
  },
  short: (header) => expect(header).toBe("sha256=abc"),
  empty: (header) => expect(header).toBe("sha256="),
  long: (header, good) => expect(header).toBe(`${good}00`),
  odd: (header, good) => expect(header).toBe(good.slice(0, -1)),
  "non-hex": (header) => expect(header).toBe(`sha256=${"z".repeat(64)}`),
  multibyte: (header) => expect(header).toBe(`sha256=${"é".repeat(64)}`),
  "no-prefix": (header, good) => expect(header).toBe(good.slice(7)),
  "wrong-prefix": (header, good) => expect(header).toBe(`sha1=${good.slice(7)}`),
  "other-algorithm": (header, good) => expect(header).toBe(`sha512=${good.slice(7)}`),
  uppercase: (header, good) => expect(header).toBe(`sha256=${good.slice(7).toUpperCase()}`),
};

test.each(Object.keys(FORMS) as SignatureFormName[])(
  "a bad signature of the form %s is what the receiver gets",
  async (form) => {
    await using bench = await openBench();
    const delivery = await bench.strike({ effect: "bad-signature", form });
    const { headers, body } = only(bench);
    FORMS[form](String(headers["x-signature-sha256"]), signed(body));
    expect(delivery["attempts"][0].injected).toEqual(["bad-signature"]);
    expect(JSON.stringify(headers)).not.toContain("bad-signature");
  },
);

test("without a fault the signature is that of the exact bytes", async () => {
  await using bench = await openBench();
  await bench.happen();
  const { headers, body } = only(bench);
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test("a missing signature is no header at all", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "missing-signature" });
  expect(only(bench).headers).not.toHaveProperty("x-signature-sha256");
});

test("a wrong secret makes a well-formed signature that matches no company", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "wrong-secret" });
  const { headers, body } = only(bench);
  const header = String(headers["x-signature-sha256"]);
  expect(header.slice(7)).toMatch(HEX);
  expect([signed(body), signed(body, ""), signed(body, "globex-webhook-secret")]).not.toContain(header);
});

test("an empty secret signs with an empty key", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "empty-secret" });
  const { headers, body } = only(bench);
  expect(headers["x-signature-sha256"]).toBe(signed(body, ""));
});

test("the old secret signs after a rotation; the fault waits for one", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "old-secret", times: 1 });
  await bench.sandbox.fetch("/order/v1/webhook/rotate-secret", {
    method: "POST",
    headers: { authorization: "Bearer acme-token" },
  });
  await bench.happen("subscription-2");
  await bench.happen("subscription-3");
  const headers = bench.arrived.map(({ headers: { "x-signature-sha256": header } }) => header);
  const old = bench.arrived.map(({ body }) => signed(body, SECRET));
  expect(headers.map((header, index) => header === old[index])).toEqual([true, true, false]);
});

test("a secret rotated between two attempts signs the second and not the first", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "rotate-mid-retry" });
  await bench.sandbox.advance("PT1M");
  const [first, second, ...others] = bench.arrived;
  expect(others).toEqual([]);
  const configuration = await bench.sandbox.fetch("/order/v1/webhook", {
    headers: { authorization: "Bearer acme-token" },
  });
  const { secret } = (await configuration.json()) as { secret: string };
  expect(secret).not.toBe(SECRET);
  expect(second?.body).toEqual(first?.body);
  expect(first?.headers["x-signature-sha256"]).toBe(signed(first!.body, SECRET));
  expect(second?.headers["x-signature-sha256"]).toBe(signed(second!.body, secret));
  const [delivery] = await bench.sandbox.deliveries();
  expect(delivery).toMatchObject({
    status: "delivered",
    attempts: [{ error: "reset", injected: ["rotate-mid-retry"] }, { error: null }],
  });
});

test("a tampered body is still JSON, differs in one byte, and has the signature of the original", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "tampered-body" });
  const { headers, body } = only(bench);
  const original = Buffer.from(JSON.stringify(delivery["body"]));
  expect(body).toHaveLength(original.length);
  expect([...body].filter((byte, index) => byte !== original[index])).toHaveLength(1);
  expect(() => JSON.parse(body.toString()) as unknown).not.toThrow();
  expect(headers["x-signature-sha256"]).toBe(signed(original));
});

test("tampered whitespace is the same JSON in other bytes", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "tampered-whitespace" });
  const { headers, body } = only(bench);
  expect(body.toString()).not.toBe(JSON.stringify(delivery["body"]));
  expect(JSON.parse(body.toString())).toEqual(delivery["body"]);
  expect(headers["x-signature-sha256"]).toBe(signed(Buffer.from(JSON.stringify(delivery["body"]))));
});
