import { expect, test } from "vitest";
import fc from "fast-check";
import { asciiJson, spacedJson } from "../src/simulator/engine/json.ts";
import {
  isForm,
  withCardNumbers,
  withFormValues,
  withValues,
} from "../src/simulator/platform/confidential.ts";
import { journalDigest } from "../src/simulator/worlds/timeline.ts";
import { loggedHeaders, loggedPath, loggedText } from "../src/simulator/worlds/masking.ts";
import { bearerIn } from "../src/simulator/worlds/inbound-request.ts";
import { matchesGlob } from "../src/simulator/platform/faults/selection.ts";
import { routeAdvice } from "../src/simulator/api/routes.ts";
import { withoutQrImages, withQrImages } from "../src/simulator/qr-images/qr-images.ts";
import { hasUnquotedExpression } from "../src/scenarios/source.ts";
import { parseTemplate } from "../src/scenarios/expression.ts";
import { checkSentText } from "../src/scenarios/sendable-text.ts";
import { postedPatternProblem } from "../src/scenarios/pattern.ts";
import { expressionsIn } from "../src/contracts/states/state-scenario.ts";
import { missingProgram, withoutStacks } from "../src/contracts/verification/run-verifier.ts";
import { namedEvent } from "../src/contracts/provider-message.ts";
import { namesUnknownKey } from "../src/checks/calibration/observers/payouts.ts";
import { failedCases, messageIn } from "../src/checks/doubt/failed-tests.ts";
import { processorMs } from "./processor-time.ts";
import { placeIn } from "../src/partner/handler.ts";
import { amountIn, minorOf } from "../src/scenarios/books/amounts.ts";
import { asksForToken, isBasic } from "../src/server/interface/client-credentials.ts";
import { decodeBrCode } from "../src/simulator/countries/brazil/br-code.ts";
import type { HarEntry } from "../src/traffic/har.ts";
import { isDuration, parseInstant } from "../src/simulator/engine/instant.ts";
import { isOwnName } from "../src/server/inbound-requests.ts";
import { languageOf, typedAmount } from "../src/pages/payer/texts.ts";
import { matchOf } from "../src/checks/calibration/requests.ts";
import { meantPixKey, normalizePixKey, pixKeyType } from "../src/simulator/countries/brazil/pix-keys.ts";
import { nameText } from "../src/partner/states/naming.ts";
import { readTraceparent } from "../src/simulator/webhooks/trace.ts";
import { StandIns } from "../src/traffic/stand-ins.ts";
import { searchFor } from "../src/server/control/list-page.ts";
import { explainMismatch } from "../src/simulator/webhooks/signature-mismatch.ts";
import { suggestion } from "../src/simulator/engine/suggestion.ts";
import { TrafficReader } from "../src/checks/calibration/traffic-reader.ts";
import { worldIdIn } from "../src/simulator/worlds/worlds.ts";
import { visible, visibleLines } from "../src/base/visible-text.ts";

/** Returns the digest of a journal whose only change has a text. */
function digestOf(text: string): string {
  const change = { collection: "notes", id: "1", before: undefined, after: { id: "1", text } };
  const cause = { by: "control", name: "test", input: { kind: "request", size: 1, text } };
  return journalDigest([{ number: 2, at: 0, cause, timeline: [], changes: [change] } as never]);
}

const mask = (value: string): string => value.replaceAll(/\d/g, "0");

function entryOf(text: string): HarEntry {
  const headers = [
    { name: "authorization", value: `Bearer ${text}` },
    { name: "x-own", value: text },
  ];
  return {
    startedDateTime: "2026-11-20T09:00:00.000Z",
    time: 1,
    request: {
      method: "POST",
      url: `http://platform.example/order/v1/banking/order-payouts?q=${encodeURIComponent(text)}`,
      headers,
      postData: {
        mimeType: "application/json",
        text: JSON.stringify({ description: text, email: `${text}@a.b` }),
      },
    },
    response: { status: 400, headers, content: { mimeType: "application/json", text } },
  } as unknown as HarEntry;
}

function calibratedEntry(text: string): unknown {
  const reader = new TrafficReader({ secrets: [] });
  reader.add({ file: "a.har", index: 0 }, entryOf(text));
  return reader.finish();
}

/** The readers of texts that strangers send, or that programs of a partner write. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "fields of a body": (text) => withValues(text, mask),
  "fields of a body in JSON": (text) => withValues(`{${text}`, mask),
  "fields of a body in parts": (text) => withValues(`--${text}`, mask),
  "fields of a form": (text) => [isForm(text), withFormValues(text, mask)],
  "numbers of cards": (text) => withCardNumbers(text, mask),
  "the request log": (text) => [
    loggedText(text),
    loggedPath(`/?${text}`),
    loggedHeaders({ authorization: text, cookie: text }),
  ],
  "a token": (text) => [bearerIn(text), bearerIn(`Bearer ${text}`)],
  "the digest of a journal": digestOf,
  "a glob": (text) => [matchesGlob(text, text), matchesGlob("ORDER-*.*X", text)],
  "an unknown path": (text) =>
    routeAdvice([{ method: "GET", path: "/sandbox/clock" }], { method: "GET", path: `/${text}` }),
  "QR codes": (text) => [withQrImages(text), withoutQrImages(text)],
  "JSON with spaces": (text) => [spacedJson(JSON.stringify(text)), asciiJson(text)],
  "a line of YAML": (text) => hasUnquotedExpression(`[${text}`),
  "a template": (text) => parseTemplate(text),
  "a posted pattern": (text) => postedPatternProblem(text),
  "expressions of a step": (text) => expressionsIn({ text } as never),
  "the output of a verifier": (text) => [missingProgram(text), withoutStacks(text)],
  "the description of a message": (text) => namedEvent(text, [{ name: "a state" } as never]),
  "the message of a payout": namesUnknownKey,
  "a JUnit report": (text) => Array.from(failedCases(text)),
  "the output of tests": messageIn,
  "a stack": (text) => placeIn(`Error\n    at ${text}`),
  "a recorded entry": (text) => calibratedEntry(text),
  "stand-ins of a recorded text": (text) => {
    const standIns = new StandIns(Buffer.alloc(32));
    return standIns.text(text);
  },
  "a word in a recorded sentence": (text) => {
    const standIns = new StandIns(Buffer.alloc(32));
    return [standIns.text("key "), standIns.sentence(text)];
  },
  "the path of a recorded call": (text) => [matchOf("GET", `/${text}`), matchOf("GET", `/order/v1/${text}`)],
  "a PIX key": (text) => [
    pixKeyType(text),
    pixKeyType(`${text}@a.example`),
    meantPixKey(text),
    normalizePixKey(text),
  ],
  "a BR code": (text) => decodeBrCode(text),
  "a misspelt word": (text) => suggestion(text, ["payout.cancel", "payout.return"]),
  "a signature that does not fit": (text) =>
    explainMismatch({
      secret: "s",
      body: Buffer.from("{}"),
      header: text,
      bodySeen: Buffer.from(text),
    } as never),
  "the language of a payer": (text) => [
    languageOf({ lang: text, acceptLanguage: text }, "pt"),
    typedAmount(text),
  ],
  "the header traceparent": (text) => readTraceparent(text),
  "the name of a host": (text) => isOwnName(text, [text.slice(1)]),
  "a credential": (text) => [worldIdIn(text), isBasic(`Basic ${text}`), asksForToken("POST", `/${text}`)],
  "a time": (text) => [parseInstant(text), isDuration(text), isDuration(`P${text}`)],
  "a search in a list": (text) => searchFor(text)({ text }),
  "the names in a partner's state": (text) =>
    nameText(text, { names: new Map([["payout-1", "the payout"]]) }),
  "an amount of a partner": (text) => [amountIn(text, "BRL", false), minorOf(text, "BRL")],
  "text for a terminal": (text) => [visible(text), visibleLines(text)],
};

/** Parts at which a pattern may begin again. */
const parts = [
  "\"'\\{}[]<>:;,.=&-_/ $aA1?*+@\n\r\t".split(""),
  ['\\"', '{"', '":', "${", "${now", "$${", "key ", "--", 'name="', "http://", "localhost:1", ".w1", "a."],
  ["<testcase ", "<testcase>", "</testcase>", 'a="', "\n    at ", ":1:1", " [", "Bearer ", "A.", "a-"],
  ["::", "  ", "##[", "error", "127.0.0.1:", '"date":"', "{\\"],
].flat();

const units = fc
  .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 })
  .map((some) => some.join(""));
const texts = fc.record({
  begin: fc.constantFrom("", ...parts),
  unit: units,
  end: fc.constantFrom("", "x", "!"),
});

/** Returns the least processor time of some runs. The collector of garbage makes single runs longer. */
function shortestMs(read: (text: string) => unknown, text: string, enoughMs: number): number {
  let shortest = Infinity;
  for (let run = 0; run < 6 && shortest > enoughMs; run++) {
    const began = processorMs();
    try {
      read(text);
    } catch {
      // A reader may refuse a text, but not take long for it.
    }
    shortest = Math.min(shortest, processorMs() - began);
  }
  return shortest;
}

const SHORT = 4_000;
const DOUBLINGS = 3;

/** Shorter times say nothing about growth. */
const NOISE_MS = 2;

/** The JSON of this text has the word `["` at its end only. */
const MANY_LATE_WORDS = { begin: "", unit: '" [', end: "" };

test.each(Object.entries(readers))("twice the text takes at most 2.5 times as long: %s", (_, read) => {
  const property = fc.property(texts, ({ begin, unit, end }) => {
    const textOf = (length: number): string => begin + unit.repeat(Math.ceil(length / unit.length)) + end;
    const before = shortestMs(read, textOf(SHORT), 0);
    const most = Math.max(before, NOISE_MS) * 2.5 ** DOUBLINGS;
    expect(shortestMs(read, textOf(SHORT * 2 ** DOUBLINGS), most)).toBeLessThanOrEqual(most);
  });
  fc.assert(property, { numRuns: 400, examples: [[MANY_LATE_WORDS]] });
});

/** The readers of lists with many different names, which strangers send as well. */
const listReaders: Readonly<Record<string, (names: readonly string[]) => unknown>> = {
  "headers of a step": (names) =>
    checkSentText({ headers: Object.fromEntries(names.map((name) => [name, "x"])) }, () => undefined),
  "headers of a recorded entry": (names) => {
    const headers = names.map((name) => ({ name, value: name }));
    const entry = entryOf("");
    const reader = new TrafficReader({ secrets: [] });
    const request = { ...entry.request, headers };
    reader.add({ file: "a.har", index: 0 }, { ...entry, request, response: { ...entry.response, headers } });
    return reader.finish();
  },
  "fields of a recorded body": (names) =>
    calibratedEntry(JSON.stringify(Object.fromEntries(names.map((name) => [name, name])))),
};

const FEW = 1_000;

test.each(Object.entries(listReaders))("twice the names take at most 2.5 times as long: %s", (_, read) => {
  const namesOf = (count: number): string => Array.from({ length: count }, (__, index) => `k${index}`).join();
  const readNames = (names: string): unknown => read(names.split(","));
  const most = Math.max(shortestMs(readNames, namesOf(FEW), 0), NOISE_MS) * 2.5 ** DOUBLINGS;
  expect(shortestMs(readNames, namesOf(FEW * 2 ** DOUBLINGS), most)).toBeLessThanOrEqual(most);
});
