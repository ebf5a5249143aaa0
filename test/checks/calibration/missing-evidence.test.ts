import type { HarEntry } from "../../../src/traffic/har.ts";
import { calibrated, deviations, storyOf, trafficOf } from "./traffic.ts";
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { folderWith } from "../../cli/scenario-files.ts";
import { calibrationReports } from "../../../src/checks/calibration/report.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { sandbank } from "../../cli/command.ts";
import { seededChance } from "../../../src/simulator/engine/random.ts";
import { shippedScenarios } from "../../scenario-runs.ts";

/** An entry that a test may change. */
type Writable<Value> = { -readonly [Key in keyof Value]: Writable<Value[Key]> };
type Entry = Writable<HarEntry>;

/** Traffic of scenarios that change no assumption: nothing that is missing from it may contradict one. */
const traffic: (readonly HarEntry[])[] = [];
const scenarios = shippedScenarios()
  .flatMap((file) => file.scenarios)
  .filter(({ assumptions }) => assumptions === undefined)
  .filter((_, index) => index % 7 === 0);
for (const [index, scenario] of scenarios.entries())
  traffic.push((await trafficOf({ ...scenario, seed: 100 + index })).entries);

function changed(entries: readonly HarEntry[], change: (entry: Entry) => void): Entry[] {
  const copies = structuredClone(entries) as Entry[];
  for (const entry of copies) change(entry);
  return copies;
}

/** Leaves out a third of the bodies, or their texts, as exporters and evicting browsers do. */
function withoutBodies(entries: readonly HarEntry[], seed: number): Entry[] {
  const chance = seededChance(seed, "bodies");
  return changed(entries, ({ request, response }) => {
    if (chance.below(3) === 0) {
      response.content = { size: -1, mimeType: "", ...(chance.below(2) === 0 && { text: "" }) };
      response.bodySize = -1;
    }
    if (chance.below(3) > 0 || request.postData === undefined) return;
    if (chance.below(2) === 0) delete request.postData;
    else request.postData.text = "";
    request.bodySize = -1;
  });
}

function withoutTokens(entries: readonly HarEntry[]): Entry[] {
  return changed(entries, ({ request }) => {
    request.headers = request.headers.filter(({ name }) => name.toLowerCase() !== "authorization");
  });
}

function withoutHeaders(entries: readonly HarEntry[]): Entry[] {
  return changed(entries, ({ request, response, _direction }) => {
    if (_direction !== "webhook") request.headers = [];
    response.headers = [];
  });
}

function inWholeSeconds(entries: readonly HarEntry[]): Entry[] {
  const text = JSON.stringify(entries).replaceAll(/(T\d\d:\d\d:\d\d)\.\d{3}(?=Z|[+-]\d\d:\d\d)/g, "$1");
  return JSON.parse(text) as Entry[];
}

const sessions = fc.nat({ max: traffic.length - 1 });
const changes = fc.oneof(
  fc.nat().map((seed) => (entries: readonly HarEntry[]) => withoutBodies(entries, seed)),
  fc.constantFrom(withoutTokens, withoutHeaders, inWholeSeconds),
);

test("traffic from which something is missing contradicts no assumption", () => {
  fc.assert(
    fc.property(sessions, changes, (session, change) => {
      const report = calibrated({ "session.har": change(traffic[session] ?? []) });
      expect([deviations(report), report.shape]).toEqual([[], []]);
      expect(report.transitions.filter(({ verdict }) => verdict !== "legal")).toEqual([]);
    }),
  );
});

test("traffic of two companies without tokens contradicts no assumption", () => {
  fc.assert(
    fc.property(sessions, sessions, (one, other) => {
      fc.pre(one !== other);
      const both = [...withoutTokens(traffic[one] ?? []), ...withoutTokens(traffic[other] ?? [])];
      const entries = both.map(({ _world, ...entry }) => entry);
      expect(deviations(calibrated({ "session.har": entries }))).toEqual([]);
    }),
  );
});

const STORY = storyOf(`
- call: createPayout
  body: { $use: payout.pix }
- call: createSubscription
  body: { $use: subscription.monthly }
- call: getWebhook
- advance: PT1M`);

describe("one session", async () => {
  const { entries } = await trafficOf(STORY);

  test("a note counts the missing bodies, and a size of 0 says that a body is empty", () => {
    const blank = changed(entries, ({ request, response, _direction }) => {
      if (_direction === "webhook") return;
      if (request.method === "POST") delete request.postData;
      request.bodySize = -1;
      response.content = { size: request.method === "GET" ? 0 : -1, mimeType: "", text: "" };
      response.bodySize = -1;
    });
    const { notes, assumptions } = calibrated({ "a.har": blank });
    expect(notes).toContain(
      "4 bodies are missing or cut off (2 of requests, 2 of answers). An exchange without its body is not used.",
    );
    const statuses = assumptions.find(({ id }) => id === "http.statuses");
    expect(statuses?.observations).toBe(0);
  });

  test("an answer whose size is 0 is no JSON", () => {
    const empty = changed(entries, ({ request, response }) => {
      if (request.method === "GET") response.content = { size: 0, mimeType: "", text: "" };
    });
    const report = calibrated({ "a.har": empty });
    expect(report.shape.map(({ kind }) => kind)).toEqual(["no-json"]);
    expect(calibrationReports.pretty(report)).toContain("an empty body");
  });

  test("a body that breaks off is unknown, and other text that is not JSON is not", () => {
    const cut = changed(entries, ({ response }) => {
      const { text = "" } = response.content;
      if (text.startsWith("{"))
        response.content = { ...response.content, text: text.slice(0, -3), size: text.length };
    });
    expect(calibrated({ "a.har": cut }).shape).toEqual([]);
    const html = changed(entries, ({ response }) => {
      if (response.content.text?.startsWith("{") === true) response.content.text = "<p>\u001b[31mNo</p>";
    });
    const report = calibrated({ "a.har": html });
    expect(report.shape.map(({ kind }) => kind)).toContain("no-json");
    // oxlint-disable-next-line no-control-regex
    expect(calibrationReports.pretty(report)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(calibrationReports.pretty(report)).toContain("<p>\\u001b[31mNo</p>");
  });

  test("bodies in base64 are read, and plain text that is marked as base64 stays", () => {
    const usual = calibrated({ "a.har": entries });
    const inBase64 = changed(entries, ({ request, response }) => {
      const { postData } = request;
      const encoded = (text: string) => Buffer.from(text).toString("base64").replaceAll(/.{60}/g, "$&\r\n");
      if (postData !== undefined)
        Object.assign(postData, { text: encoded(postData.text ?? ""), encoding: "base64" });
      response.content.text = encoded(response.content.text ?? "");
      response.content.encoding = "base64";
    });
    const marked = changed(entries, ({ request, response }) => {
      if (request.postData !== undefined) Object.assign(request.postData, { encoding: "base64" });
      response.content.encoding = "base64";
    });
    for (const session of [inBase64, marked]) expect(calibrated({ "a.har": session })).toEqual(usual);
  });

  test("operations that answer differently are named, each with its status", () => {
    const other = changed(entries, ({ request, response }) => {
      if (request.method === "POST" && request.url.endsWith("/order-payouts")) response.status = 200;
    });
    const verdict = (session: readonly unknown[]) =>
      calibrated({ "a.har": session }).assumptions.find(({ id }) => id === "http.statuses");
    expect(verdict(other)).toMatchObject({
      verdict: "contradicted",
      observed: { value: "created-200 (createPayout), created-201 (createSubscription)" },
    });
    expect(verdict([...other, ...entries])).toMatchObject({
      verdict: "inconsistent",
      note: "createPayout: created-200 (1), created-201 (1)",
    });
  });

  test("a HAR is read in every encoding, with the name of its entries anywhere", async () => {
    using folder = folderWith({});
    const text = JSON.stringify({ log: { version: "1.2", comment: "COMMENT", entries } });
    for (const [fill, encoding] of [
      [65_536 - text.indexOf("COMMENT") - 14, "utf8"],
      [0, "utf16le"],
    ] as const) {
      writeFileSync(
        folder.at("session.har"),
        `\uFEFF${text.replace("COMMENT", "c".repeat(Math.max(0, fill)))}`,
        encoding,
      );
      const { code, out } = await sandbank("calibrate", folder.at("session.har"));
      expect([code, out]).toEqual([0, expect.stringContaining("3 calls, ")]);
    }
    expect(readFileSync(folder.at("session.har")).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
  });
});
