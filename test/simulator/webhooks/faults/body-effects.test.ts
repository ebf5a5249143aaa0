import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { expect, test } from "vitest";
import { bodySpellings } from "../../../../src/simulator/platform/faults/body-spellings.ts";
import { only, openBench, signed } from "./on-the-wire.ts";

test.each(Object.keys(bodySpellings))(
  "a canary body as %s is signed rightly and survives no rewriting",
  async (encoding) => {
    await using bench = await openBench();
    const delivery = await bench.strike({ effect: "canary-body", encoding });
    const { headers, body } = only(bench);
    const { canary, ...event } = JSON.parse(body.toString()) as SandboxObject;
    expect(headers["x-signature-sha256"]).toBe(signed(body));
    expect(event).toEqual(delivery["body"]);
    expect(["undefined", "string", "number", "object"]).toContain(typeof canary);
    // Characters beyond ASCII survive in JavaScript; it is decoding them in another charset that breaks them.
    const charset = encoding === "unicode" ? "latin1" : "utf8";
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(body.toString(charset))));
    expect(rewritten.equals(body)).toBe(false);
  },
);

test("without an encoding the canaries alternate", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "canary-body" });
  for (let index = 1; index < Object.keys(bodySpellings).length; index++)
    await bench.happen(`another-${index}`);
  const texts = bench.arrived.map(({ body }) => body.toString());
  expect(texts[0]).toContain('"canary":10.50');
  expect(texts[4]).toMatch(/\n$/);
  expect(texts[6]).toContain('"canary":9007199254740993');
});

test("extra fields are added to the event's own, one of them null", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "extra-fields" });
  const { headers, body } = only(bench);
  const event = JSON.parse(body.toString()) as SandboxObject;
  expect(event).toMatchObject(delivery["body"] as object);
  expect(event["absentForNow"]).toBeNull();
  expect(event["data"]).toHaveProperty("announcedNowhere");
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test("an unknown event has an unknown name of its family", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "unknown-event" });
  const { headers, body } = only(bench);
  expect(JSON.parse(body.toString())).toMatchObject({ event: "SUBSCRIPTION.UNHEARD_OF" });
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test("an unknown status takes the place of the status", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "unknown-enum" });
  const { headers, body } = only(bench);
  expect(JSON.parse(body.toString())).toMatchObject({ data: { status: "UNHEARD_OF" } });
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test.each([20_000, 1_000_000])("a large body has exactly %i bytes and is valid", async (bytes) => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "large-body", bytes });
  const { headers, body } = only(bench);
  expect(body).toHaveLength(bytes);
  expect(JSON.parse(body.toString())).toMatchObject(delivery["body"] as object);
  expect(headers["x-signature-sha256"]).toBe(signed(body));
  const [attempt] = delivery["attempts"] as SandboxObject[];
  expect(attempt?.["requestBytes"]).toBe(bytes);
  expect(attempt?.["requestBody"]).toHaveLength(Math.min(bytes, 256 * 1024));
});

test("an empty body has no bytes and their signature", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "empty-body" });
  const { headers, body } = only(bench);
  expect([body.length, headers["content-length"]]).toEqual([0, "0"]);
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test("a truncated body has a matching length and the signature of the complete body", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "truncated-body" });
  const { headers, body } = only(bench);
  const original = Buffer.from(JSON.stringify(delivery["body"]));
  expect(body).toEqual(original.subarray(0, Math.floor(original.length / 2)));
  expect(headers["content-length"]).toBe(String(body.length));
  expect(headers["x-signature-sha256"]).toBe(signed(original));
});

test("invalid JSON has a valid signature", async () => {
  await using bench = await openBench();
  await bench.strike({ effect: "invalid-json" });
  const { headers, body } = only(bench);
  expect(() => JSON.parse(body.toString()) as unknown).toThrow(/JSON/);
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test.each([
  ["text/plain", "text/plain"],
  ["application/json; charset=utf-8", "application/json; charset=utf-8"],
  ["", undefined],
])("the content type %j is sent as it is written", async (value, expected) => {
  await using bench = await openBench();
  await bench.strike({ effect: "content-type", value });
  const { headers, body } = only(bench);
  expect(headers["content-type"]).toBe(expected);
  expect(headers["x-signature-sha256"]).toBe(signed(body));
});

test("a chunked body has no length and arrives completely", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "chunked" });
  const { headers, body } = only(bench);
  expect(headers["content-length"]).toBeUndefined();
  expect(headers["transfer-encoding"]).toBe("chunked");
  expect(body.toString()).toBe(JSON.stringify(delivery["body"]));
  expect(delivery["status"]).toBe("delivered");
});
