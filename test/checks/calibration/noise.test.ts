import type { HarEntry } from "../../../src/traffic/har.ts";
import { calibrated, deviations, storyOf, trafficOf } from "./traffic.ts";
import { payout } from "./loops.ts";
import { expect, test } from "vitest";
import { calibrationReports } from "../../../src/checks/calibration/report.ts";
import { Redactor } from "../../../src/traffic/redaction.ts";
import { signatureOf } from "../../../src/simulator/api/signature.ts";

const CHARGED = `\
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-1 }
  save: sub
- act: subscription.accept
  on: \${sub.id}
- call: createScheduledPayment
  path: { id: "\${sub.id}" }
  body: { $use: charge.first }
  save: charge`;

const DAY = `
- call: issueToken
  body: { grant_type: client_credentials, client_id: acme, client_secret: acme-secret, scope: "api://app-order-prd/.default" }
  as: null
${CHARGED}
- advance: PT1M
- receiver: { answers: [500, 500, 500, 500, 200] }
- call: createPayout
  body: { $use: payout.pix }
  key: k-1
- advance: PT10H
- call: createPayout
  body: { $use: payout.pix, externalId: payout-2 }
  key: k-2
- receiver: { answers: [500, 500, 500, 500, 200] }
- advance: PT10H
- call: getSubscription
  path: { id: "\${sub.id}" }
- advance: P6D`;

const PLATFORM = {
  "payout.pix-delay": "PT7S",
  "charge.first-attempt-at": "04:40",
  "webhook.retry-intervals": ["PT2M", "PT20M", "PT1H", "PT5H"],
};

async function session(assumptions: Readonly<Record<string, unknown>> = PLATFORM): Promise<HarEntry[]> {
  const { entries, result } = await trafficOf(storyOf(DAY), assumptions);
  expect(result.failure).toBeUndefined();
  return entries;
}

function isWebhook({ _direction }: HarEntry): boolean {
  return _direction === "webhook";
}

function shifted(entry: HarEntry, ms: number): HarEntry {
  return { ...entry, startedDateTime: new Date(Date.parse(entry.startedDateTime) + ms).toISOString() };
}

test("other hosts, preflights, failed calls and entries that are none change nothing but the counts", async () => {
  const entries = await session();
  const clean = calibrated({ "a.har": entries });
  const [first] = entries;
  const failed = (status: number, text: string, error?: string): unknown => ({
    ...first,
    response: { ...first?.response, status, headers: [], content: { size: 0, mimeType: "", text } },
    ...(error !== undefined && { _error: error }),
  });
  const other = (url: string): unknown => ({ ...first, request: { ...first?.request, url } });
  const noise = [
    other("https://fonts.example/roboto.woff2"),
    other("https://telemetry.example/order/v1/webhook"),
    other("http://localhost/favicon.ico"),
    { ...first, request: { ...first?.request, method: "OPTIONS" } },
    failed(0, "", "net::ERR_CONNECTION_RESET"),
    failed(503, "<html>Service Unavailable</html>"),
    failed(502, '{"error":"BAD_GATEWAY"}', "Failed to reach the platform."),
    null,
    "nothing",
    { startedDateTime: "yesterday" },
    { request: { url: "not a url" } },
  ];
  const noisy = calibrated({ "a.har": [...noise, ...entries] });
  expect(noisy.config).toEqual(clean.config);
  expect(clean.config.assumptions).toEqual(PLATFORM);
  expect(deviations(noisy)).toEqual(deviations(clean));
  expect(noisy.shape).toEqual([]);
  expect(noisy.counts).toEqual({
    calls: clean.counts.calls + 3,
    webhooks: clean.counts.webhooks,
    otherHosts: 2,
    otherPaths: 2,
    unreadable: 4,
  });
});

test("a webhook that is missing in one chain of attempts does not change the intervals", async () => {
  const entries = await session();
  const attempts = entries.filter((entry) => isWebhook(entry) && entry.response.status === 500);
  for (const missing of attempts) {
    const report = calibrated({ "a.har": entries.filter((entry) => entry !== missing) });
    expect(report.config.assumptions).toEqual(PLATFORM);
  }
});

/** The verdict on the intervals of a platform that is recorded for so long after so many webhooks failed. */
async function unfinished(webhooks: number, time: string, intervals: readonly string[]) {
  const calls = Array.from(
    { length: webhooks },
    (_, index) => `- call: createPayout\n  body: { $use: payout.pix, externalId: p-${index} }\n`,
  );
  const story = `- receiver: { answers: [500], always: true }
${calls.join("")}- advance: ${time}
- call: listAccounts`;
  const { entries } = await trafficOf(storyOf(story), { "webhook.retry-intervals": intervals });
  const report = calibrated({ "a.har": entries });
  const verdict = report.assumptions.find(({ id }) => id === "webhook.retry-intervals");
  return { verdict, config: report.config.assumptions, text: calibrationReports.pretty(report) };
}

test("a call or an event that is missing contradicts nothing", async () => {
  const story = storyOf(`
${CHARGED}
- plan: scheduled-payment.settlement
  on: \${charge.id}
  outcomes: [SETTLEMENT_ERROR, SETTLED]
- call: createPayout
  body: { $use: payout.pix }
  key: k-1
- advance: PT5H
- call: createPayout
  body: { $use: payout.pix }
  key: k-1
- advance: P6D`);
  const { entries, result } = await trafficOf(story);
  expect(result.failure).toBeUndefined();
  for (const missing of entries)
    expect(deviations(calibrated({ "a.har": entries.filter((entry) => entry !== missing) }))).toEqual([]);
});

test("an event that is sent again after a later event of its instant contradicts nothing", async () => {
  const story = storyOf(`
- receiver: { answers: [500, 200] }
- call: createSubscription
  body: { $use: subscription.monthly }
  save: sub
- act: subscription.accept
  on: \${sub.id}
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: FRAUD_SUSPICION, requestedBy: receiver }
- advance: PT2M`);
  const { entries, result } = await trafficOf(story, { "cancellation.delay": "PT0S" });
  expect(result.failure).toBeUndefined();
  const report = calibrated({ "a.har": entries });
  expect(report.transitions.filter(({ verdict }) => verdict !== "legal")).toEqual([]);
});

test("an interval that is not over when the traffic ends is shown as a bound, and what is assumed stays", async () => {
  const { verdict, config, text } = await unfinished(1, "PT38M", ["PT1M", "PT10M", "PT1H", "PT3H"]);
  expect(verdict?.observed?.seen).toEqual(["PT1M", "PT10M", "≥PT26M"]);
  expect(text).toContain("observed PT1M PT10M ≥PT26M");
  expect(config).toEqual({ "webhook.retry-intervals": ["PT1M", "PT10M", "PT30M", "PT2H"] });
});

test("a bound above what is assumed is shown and contradicts nothing: the file may lack the next attempts", async () => {
  for (const webhooks of [1, 2]) {
    const { verdict, config } = await unfinished(webhooks, "PT1H", ["PT1M", "PT5M", "PT4H", "PT8H"]);
    expect(verdict).toMatchObject({ verdict: "confirmed", observed: { seen: ["PT1M", "PT5M", "≥PT53M"] } });
    expect(config).toEqual({});
  }
});

test("a recorder whose clock is hours off is reported, and changes nothing", async () => {
  const entries = (await session()).map((entry) => shifted(entry, 3 * 3_600_000));
  const report = calibrated({ "a.har": entries });
  expect(report.config.assumptions).toEqual(PLATFORM);
  expect(report.notes).toEqual([
    "a.har has two clocks: the platform's (Date) is 180 min behind the recorder's. Times of the two clocks are not compared.",
  ]);
});

test("where the two clocks with different speeds, times between attempts are not measured and all others are", async () => {
  const entries = (await session()).map((entry, index) => ({
    ...entry,
    startedDateTime: new Date(Date.parse("2026-11-23T12:00:00Z") + index * 40).toISOString(),
  }));
  const report = calibrated({ "a.har": entries });
  const { "webhook.retry-intervals": _, ...others } = PLATFORM;
  expect(Object.keys(report.config.assumptions)).toEqual(Object.keys(others).toSorted(inCatalog(report)));
  expect(report.notes).toEqual([expect.stringMatching(/^a\.har has two clocks, .* with different speeds/)]);
});

function inCatalog({ assumptions }: { readonly assumptions: readonly { readonly id: string }[] }) {
  const ids = assumptions.map(({ id }) => id);
  return (one: string, other: string): number => ids.indexOf(one) - ids.indexOf(other);
}

test("jitter of the platform and of the network is no contradiction", async () => {
  const entries = await session({});
  const late = entries.map((entry, index) =>
    isWebhook(entry) ? shifted({ ...entry, time: 40 + (index % 7) * 30 }, (index % 5) * 90) : entry,
  );
  expect(deviations(calibrated({ "a.har": late }))).toEqual([]);
});

test("two sessions that disagree are reported as such, with what each shows", async () => {
  const report = calibrated({
    "monday.har": await session({ "payout.pix-delay": "PT3S" }),
    "tuesday.har": await session({ "payout.pix-delay": "PT30S" }),
  });
  const verdict = report.assumptions.find(({ id }) => id === "payout.pix-delay");
  expect(verdict).toMatchObject({
    verdict: "inconsistent",
    observed: null,
    note: "3 s in monday.har, 30 s in tuesday.har",
  });
  expect(report.config.assumptions).toEqual({});
  const choice = calibrated({
    "monday.har": await refusal({}),
    "tuesday.har": await refusal({ "payout.unknown-key": "reject" }),
  });
  expect(choice.assumptions.find(({ id }) => id === "payout.unknown-key")).toMatchObject({
    verdict: "inconsistent",
    note: "accept-then-error (1), reject (1)",
  });
});

async function refusal(assumptions: Readonly<Record<string, unknown>>): Promise<HarEntry[]> {
  const story = storyOf(`
- call: createPayout
  body: { $use: payout.pix, paymentData: { pixKey: nobody@pix.example } }
  key: k-1
  expect: { status: { $any: number } }
- advance: PT1M`);
  return (await trafficOf(story, assumptions)).entries;
}

test("redaction changes no verdict", async () => {
  const entries = await session();
  const redactor = new Redactor(new Uint8Array(32).fill(9));
  const redacted = entries.map((entry) => redactor.entry(entry));
  expect(redacted).not.toEqual(entries);
  const [before, after] = [entries, redacted].map((file) => calibrated({ "a.har": file }));
  expect(after).toEqual(before);
});

test("a value that the sandbox cannot be set to is listed as what cannot be imitated", async () => {
  const entries = (await session({})).map((entry) =>
    entry.response.status === 201 ? { ...entry, response: { ...entry.response, status: 202 } } : entry,
  );
  const report = calibrated({ "a.har": entries });
  expect(report.notImitated).toEqual(["http.statuses"]);
  expect(report.assumptions.find(({ id }) => id === "http.statuses")).toMatchObject({
    verdict: "contradicted",
    assumed: "created-201",
    observed: { value: "created-202" },
    observations: 3,
  });
  expect(report.shape.map(({ kind, operationId, count }) => [kind, operationId, count])).toEqual([
    ["unknown-status", "createSubscription", 1],
    ["unknown-status", "createPayout", 2],
  ]);
});

test("an unknown field, status and event, and a change of status that no table has, are reported once with their number", async () => {
  const entries = (await session({})).map((entry) => {
    const text = entry.request.postData?.text ?? "";
    if (!isWebhook(entry)) return entry;
    const changed = text
      .replace('"status":"PAID"', '"status":"UNDER_REVIEW"')
      .replace('"type":"PAY-OUT"', '"type":"PAY-OUT","risk":"LOW"')
      .replace("SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.GRANTED");
    return {
      ...entry,
      request: { ...entry.request, postData: { mimeType: "application/json", text: changed } },
    };
  });
  const { shape, transitions, assumptions } = calibrated({ "a.har": entries });
  expect(shape.map(({ kind, path, event }) => [kind, path, event])).toEqual(
    expect.arrayContaining([
      ["unknown-event", "event", "SUBSCRIPTION.GRANTED"],
      ["unknown-value", "status", "ORDER-PAYOUT.PAID"],
      ["unknown-field", "risk", "ORDER-PAYOUT.PAID"],
    ]),
  );
  expect(transitions).toContainEqual(
    expect.objectContaining({ resource: "payout", to: "UNDER_REVIEW", verdict: "unknown" }),
  );
  expect(assumptions.filter(({ verdict }) => verdict === "inconsistent")).toEqual([]);
});

test.each([-900, -400, 0, 400, 900])(
  "a platform whose clock is %i ms ahead of the recorder's has no change out of order",
  async (aheadMs) => {
    const story = storyOf(`
- call: createSubscription
  body: { $use: subscription.monthly }
  save: sub
- act: subscription.accept
  on: \${sub.id}`);
    const { entries } = await trafficOf(story);
    const recorded = entries.map((entry) => {
      const at = new Date(Date.parse(entry.startedDateTime) - aheadMs);
      return { ...entry, startedDateTime: at.toISOString() };
    });
    const { transitions } = calibrated({ "a.har": recorded });
    expect(transitions.map(({ to, verdict }) => [to, verdict])).toEqual([
      ["PENDING_AUTHORIZATION", "legal"],
      ["ACCEPTED", "legal"],
    ]);
  },
);

test("a late attempt of an older event is no change out of order", async () => {
  const story = storyOf(`
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-1 }
  save: sub
- receiver: { answers: [500, 200, 200, 200] }
- act: subscription.accept
  on: \${sub.id}
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: PT10M`);
  const { entries } = await trafficOf(story);
  // The first attempt is missing, so that the event seems to come after the cancellation.
  const report = calibrated({ "a.har": entries.filter((entry) => entry.response.status !== 500) });
  expect(report.transitions.filter(({ verdict }) => verdict !== "legal")).toEqual([]);
});

test("a secret that does not fit is reported, and the rest is used; one that fits verifies", async () => {
  const whole = await session();
  const entries = whole.map(({ _signature, ...entry }) => entry);
  const signed = entries.map((entry) => {
    const text = entry.request.postData?.text ?? "";
    if (!isWebhook(entry)) return entry;
    const value = signatureOf("the-secret", Buffer.from(text));
    return { ...entry, request: { ...entry.request, headers: [{ name: "X-Signature-SHA256", value }] } };
  });
  const wrong = calibrated({ "a.har": signed }, { secrets: ["another"] });
  expect(wrong.notes).toEqual([
    expect.stringMatching(/^The signatures of (\d+) of \1 webhooks are not verified: no known secret fits\./),
  ]);
  expect(wrong.config.assumptions).toEqual(PLATFORM);
  expect(calibrated({ "a.har": signed }, { secrets: ["the-secret"] }).notes).toEqual([]);
});

test("a settlement date that is no date is no reason to stop", async () => {
  const { entries } = await trafficOf(
    storyOf(`${CHARGED}
- act: scheduled-payment.request-cancellation
  on: \${charge.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: PT1M`),
  );
  const wrong = JSON.parse(
    JSON.stringify(entries).replaceAll(/(settlementDate\\":\\")[^\\]+/g, "$1soon"),
  ) as HarEntry[];
  const { assumptions } = calibrated({ "session.har": wrong });
  expect(assumptions.find(({ id }) => id === "charge.payer-cutoff")?.verdict).toBe("not-seen");
});

test("an attempt that is given up while the recorder is busy may have been given up before", async () => {
  const { entries } = await trafficOf(storyOf(`${payout("payout.pix")}\n- advance: PT1M`));
  const given = { response: { status: 0, headers: [] }, _error: "The caller closed the connection." };
  const timeoutOf = (late: object): unknown => {
    const webhooks = entries.filter((entry) => entry._direction === "webhook");
    const session = webhooks.map((entry) => ({ ...entry, ...given, time: 2_440, ...late }));
    return calibrated({ "session.har": session }).config.assumptions["webhook.timeout"];
  };
  expect(timeoutOf({})).toBe("PT2.5S");
  expect(timeoutOf({ _lateMs: 440 })).toBe("PT2S");
});
