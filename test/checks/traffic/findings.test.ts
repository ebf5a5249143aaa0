import { expect, test } from "vitest";
import { checkTraffic } from "../../../src/checks/traffic/report.ts";
import type { HarEntry } from "../../../src/traffic/har.ts";
import { parsed } from "../../../src/simulator/engine/json.ts";
import { shippedScenarios } from "../../scenario-runs.ts";
import { storyOf, trafficOf } from "../calibration/traffic.ts";
import { TrafficCollector } from "../../../src/checks/traffic/seen-traffic.ts";

const scenarios = shippedScenarios().flatMap((file) => file.scenarios.map((scenario) => [scenario] as const));

function checked(...files: (readonly unknown[])[]) {
  const collector = new TrafficCollector();
  for (const [file, entries] of files.entries())
    for (const [index, entry] of entries.entries()) collector.add({ file: `${file}.har`, index }, entry);
  return checkTraffic(collector.finish(), { files: files.map((_, file) => `${file}.har`) });
}

const rulesOf = (...files: (readonly unknown[])[]): string[] =>
  checked(...files).findings.map(({ rule }) => rule);

/** The entry without its answer, as a program writes it that did not see the answer. */
const withoutAnswer = (entry: HarEntry): object => ({
  ...entry,
  response: { ...entry.response, status: 0, headers: [], content: { size: -1, mimeType: "" } },
});

const isCreating = ({ request, response, _direction, _injected }: HarEntry): boolean =>
  _direction !== "webhook" &&
  _injected === undefined &&
  request.method === "POST" &&
  response.status === 201 &&
  response.headers.every(({ name }) => name.toLowerCase() !== "idempotency-replayed") &&
  request.headers.some(({ name }) => name.toLowerCase() === "idempotency-key");

/** Repeats the work of an entry under another key: the answer has another id. */
function underNewKey(entry: HarEntry): HarEntry {
  const { request, response } = entry;
  const answer = parsed(response.content.text ?? "") as object;
  const headers = request.headers.map((header) =>
    header.name.toLowerCase() === "idempotency-key" ? { ...header, value: "another-key" } : header,
  );
  const text = JSON.stringify({ ...answer, id: "another-id" });
  return {
    ...entry,
    request: { ...request, headers },
    response: { ...response, content: { ...response.content, text, size: text.length } },
  };
}

const counts = { right: 0, keys: 0, webhooks: 0 };

test.each(scenarios)(
  "$file: $name has a finding for each planted mistake, and none for a missing answer",
  async (scenario) => {
    const { entries } = await trafficOf(scenario);
    const rules = new Set(rulesOf(entries));
    if (rules.size === 0) counts.right++;
    for (const part of [0, 1, 2]) {
      const fewer = entries.map((entry, index) => (index % 3 === part ? withoutAnswer(entry) : entry));
      expect(rulesOf(fewer).filter((rule) => !rules.has(rule))).toEqual([]);
    }
    const created = entries.filter(isCreating).slice(0, 1);
    for (const entry of created) expect(rulesOf([...entries, underNewKey(entry)])).toContain("two-keys");
    counts.keys += created.length;
    const at = entries.findIndex(
      ({ _direction, _injected, response }) =>
        _direction === "webhook" && _injected === undefined && response.status === 200,
    );
    for (const webhook of at < 0 ? [] : entries.slice(at, at + 1)) {
      expect(rulesOf(entries.with(at, { ...webhook, time: 10_500 }))).toContain("webhook-slow");
      const refusal = { ...webhook, response: { ...webhook.response, status: 418 } };
      expect(checked(entries.with(at, refusal)).findings).toContainEqual(
        expect.objectContaining({ rule: "webhook-refused", entries: [{ file: "0.har", index: at }] }),
      );
      counts.webhooks++;
    }
  },
);

test("the scenarios have right traffic and places for mistakes", () => {
  expect(counts.right).toBeGreaterThan(40);
  expect(Math.min(counts.keys, counts.webhooks)).toBeGreaterThan(40);
});

const PAYOUT = `\
- call: createPayout
  body: { $use: payout.pix, externalId: payout-1 }
  key: k-1
- advance: PT10M`;

test("several files of one host are one traffic", async () => {
  const { entries } = await trafficOf(storyOf(PAYOUT));
  const again = entries.filter(isCreating).map(underNewKey);
  expect(rulesOf(entries)).toEqual([]);
  const { findings } = checked(entries, again);
  expect(findings.map(({ rule, entries: places }) => [rule, places.map(({ file }) => file)])).toEqual([
    ["two-keys", ["0.har", "1.har"]],
  ]);
});

test("an amount of an event that is not the asked amount is a finding with both entries", async () => {
  const { entries } = await trafficOf(storyOf(PAYOUT));
  const changed = entries.map((entry) => {
    if (entry._direction !== "webhook") return entry;
    const text = (entry.request.postData?.text ?? "").replaceAll(/"value":"[\d.]+"/g, '"value":"1.00"');
    return { ...entry, request: { ...entry.request, postData: { mimeType: "application/json", text } } };
  });
  const [finding] = checked(changed).findings;
  expect(finding).toMatchObject({
    rule: "other-amount",
    message: expect.stringContaining("1.00 BRL") as string,
  });
  expect(finding?.entries).toHaveLength(2);
});

test("an event that comes again is counted, and the same work after each copy is a finding", async () => {
  const { entries } = await trafficOf(storyOf(PAYOUT));
  const webhook = entries.find(({ _direction }) => _direction === "webhook");
  const created = entries.find(isCreating);
  if (webhook === undefined || created === undefined) throw new Error("The story has a payout.");
  const at = Date.parse(webhook.startedDateTime);
  const later = (entry: HarEntry, seconds: number): HarEntry => ({
    ...entry,
    startedDateTime: new Date(at + seconds * 1000).toISOString(),
  });
  const renamed = (entry: HarEntry, id: string): HarEntry =>
    JSON.parse(JSON.stringify(underNewKey(entry)).replaceAll("another-", `${id}-`)) as HarEntry;
  const copied = [...entries, later(webhook, 3_600)];
  expect(checked(copied)).toMatchObject({ findings: [], copies: [{ index: entries.length }] });
  const acted = [...copied, later(renamed(created, "x"), 5), later(renamed(created, "y"), 3_605)];
  expect(rulesOf(acted)).toContain("acted-twice");
  const older = (webhook.request.postData?.text ?? "").replaceAll(/"updatedAt":"2026/g, '"updatedAt":"2025');
  const late = { ...webhook, request: { ...webhook.request, postData: { mimeType: "", text: older } } };
  expect(checked([...entries, later(late, 9)]).late).toEqual([{ file: "0.har", index: entries.length }]);
});

test("a charge that the platform resends on its own and the partner makes again is a finding", async () => {
  const resent = scenarios.find(([{ file }]) => file.endsWith("three-resends-then-settled.yaml"));
  if (resent === undefined) throw new Error("There is a scenario with resends.");
  const { entries } = await trafficOf(resent[0]);
  const created = entries.find(({ request }) => request.url.endsWith("/payments"));
  const error = entries.find(({ request }) => request.postData?.text?.includes("SETTLEMENT_ERROR") === true);
  if (created === undefined || error === undefined) throw new Error("The scenario has a failed charge.");
  const startedDateTime = new Date(Date.parse(error.startedDateTime) + 60_000).toISOString();
  expect(rulesOf(entries)).toEqual([]);
  expect(rulesOf([...entries, { ...underNewKey(created), startedDateTime }])).toContain("charged-again");
});
