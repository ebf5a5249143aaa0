import { calibrationReport, calibrationReports, jsonReport } from "../../../src/checks/calibration/report.ts";
import { expect, test } from "vitest";
import { harEntry } from "../../../src/traffic/har.ts";
import { join } from "node:path";
import { mkdtempSync, writeFileSync } from "node:fs";
import { readHar } from "../../../src/traffic/read-har.ts";
import { TrafficReader } from "../../../src/checks/calibration/traffic-reader.ts";
import { gzipSync } from "node:zlib";
import { tmpdir } from "node:os";
import * as fc from "fast-check";

const HOST = "https://api.platform.example";
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const headers = [
  { name: "authorization", value: "Bearer one" },
  { name: "content-type", value: "application/json" },
];
const call = harEntry({
  startedAt: 1_763_640_000_000,
  durationMs: 20,
  method: "POST",
  url: `${HOST}/order/v1/banking/order-payouts`,
  requestHeaders: [...headers, { name: "idempotency-key", value: "key-1" }],
  requestBody: json({ externalId: "1", amount: { currency: "BRL", value: "10.00" } }),
  status: 201,
  responseHeaders: headers,
  responseBody: json({ id: "a3c1", status: "CREATED", createdAt: "2026-11-20T12:00:00.000Z" }),
});
const webhook = harEntry({
  startedAt: 1_763_640_002_000,
  durationMs: 5,
  method: "POST",
  url: "https://partner.example/hook",
  requestHeaders: [...headers, { name: "x-signature-sha256", value: "00" }],
  requestBody: json({ event: "ORDER-PAYOUT.PAID", id: "a3c1", status: "PAID" }),
  status: 200,
  responseHeaders: headers,
  responseBody: json({}),
  _direction: "webhook",
});

/** The places of all values of an entry. */
function placesIn(value: unknown, place: readonly string[] = []): string[][] {
  const inner =
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, one]) => placesIn(one, [...place, key]))
      : [];
  return [[...place], ...inner];
}

function withValue(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((one, at) => (String(at) === key ? withValue(one, rest, other) : one));
  return { ...(value as object), [key]: withValue((value as Record<string, unknown>)[key], rest, other) };
}

const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    "\u0000",
    "https://[::1",
    "9".repeat(400),
    "-0",
    "1e999",
    "__proto__",
    {},
    [],
    null,
    true,
    -1,
  ),
  fc.integer({ min: 100, max: 9_000 }).map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
  fc.integer({ min: 100, max: 9_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

test("an entry with any value in any place is read, or counted as unreadable", () => {
  const entries = [call, webhook].flatMap((entry) => placesIn(entry).map((place) => ({ entry, place })));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...entries), anyValue), { minLength: 1, maxLength: 6 }),
      (changes) => {
        const reader = new TrafficReader({ secrets: ["secret"] });
        reader.add({ file: "a.har", index: 0 }, call);
        for (const [index, [{ entry, place }, other]] of changes.entries())
          reader.add({ file: "a.har", index: index + 1 }, withValue(entry, place, other));
        reader.add({ file: "a.har", index: 99 }, webhook);
        const report = calibrationReport(reader.finish(), ["a.har"]);
        expect(calibrationReports.pretty(report)).toContain("entry");
        expect(jsonReport(report)).toContain("assumptions");
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);

async function reading(...entries: readonly string[]): Promise<unknown> {
  const path = join(mkdtempSync(join(tmpdir(), "har-")), "a.har");
  writeFileSync(path, `{"log":{"version":"1.2","entries":[${entries.join(",")}]}}`);
  const read = readHar(path);
  for (let next = await read.next(); ; next = await read.next()) if (next.done === true) return next.value;
}

const one = JSON.stringify(call);

test.each([
  ["its entry 2 is nested more than 200 levels deep", `{"x":${"[".repeat(2e5)}${"]".repeat(2e5)}}`],
  ["its entry 2 has more than 1000000 fields and values", `{"x":[${"1,".repeat(1_000_000)}1]}`],
  ["its entry 2 has more than 1000000 fields and values", `{${'"x":1,'.repeat(600_000)}"x":1}`],
  ["its entry 2 has more than 64000000 characters", `{"x":"${"y".repeat(65_000_000)}"}`],
])("a file is refused: %s", async (found, entry) => {
  await expect(reading(one, entry)).rejects.toThrow(`${found}. Remove the entry, and try again.`);
});

test("an entry that is nested as deeply as allowed is read, and many small ones are", async () => {
  const deep = `{"x":${"[".repeat(190)}${"]".repeat(190)}}`;
  const many = Array.from({ length: 20_000 }, () => `{"x":[${"1,".repeat(99)}1]}`);
  expect(await reading(one, deep, ...many)).toEqual({ entries: 20_002, isCut: false });
});

test("hosts and differences of shapes are counted beyond a limit, and not kept", () => {
  const reader = new TrafficReader({ secrets: [] });
  for (let index = 0; index < 3_000; index++) {
    const response = { ...call.response, content: { ...call.response.content, text: `{"field${index}":1}` } };
    reader.add({ file: "a.har", index }, { ...call, response });
    const url = call.request.url.replace("api", `api${index}`);
    reader.add({ file: "a.har", index }, { ...call, request: { ...call.request, url } });
  }
  expect(reader.hosts).toHaveLength(1_000);
  const { counts, shape, notes } = reader.finish();
  expect(counts).toMatchObject({ calls: 3_000, otherHosts: 3_000 });
  expect(shape.length).toBeLessThanOrEqual(1_000);
  expect(notes.join(" ")).toContain("further differences");
});

test.each([
  ["gzip", gzipSync("{}"), /it is compressed with gzip\. Decompress it first/],
  ["ZIP", Buffer.from("504b030414000000", "hex"), /it is a ZIP file\. Extract it, and name the \.har file/],
])("a %s file is named, with the way to its HAR", async (_, bytes, sentence) => {
  const path = join(mkdtempSync(join(tmpdir(), "sandbank-har-")), "a.har");
  writeFileSync(path, bytes);
  await expect(readHar(path).next()).rejects.toThrow(sentence);
});

test("entries whose times are numbers are named", () => {
  const reader = new TrafficReader({ secrets: [] });
  const place = { file: "a.har", index: 0 } as never;
  reader.add(place, call);
  reader.add(place, { ...call, startedDateTime: 1_763_640_000_000 });
  expect(reader.finish().notes.join("\n")).toContain(
    "Entries with a number as startedDateTime are not used: 1.",
  );
});
