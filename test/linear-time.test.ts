import { expect, test } from "vitest";
import fc from "fast-check";
import { performance } from "node:perf_hooks";
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
import { postedPatternProblem } from "../src/scenarios/pattern.ts";
import { expressionsIn } from "../src/contracts/states/state-scenario.ts";
import { missingProgram, withoutStacks } from "../src/contracts/verification/run-verifier.ts";
import { namedEvent } from "../src/contracts/provider-message.ts";
import { namesUnknownKey } from "../src/checks/calibration/observers/payouts.ts";
import { failedCases, messageIn } from "../src/checks/doubt/failed-tests.ts";
import { placeIn } from "../src/partner/handler.ts";
import { visible, visibleLines } from "../src/base/visible-text.ts";

/** Returns the digest of a journal whose only change has a text. */
function digestOf(text: string): string {
  const change = { collection: "notes", id: "1", before: undefined, after: { id: "1", text } };
  const cause = { by: "control", name: "test", input: { kind: "request", size: 1, text } };
  return journalDigest([{ number: 2, at: 0, cause, timeline: [], changes: [change] } as never]);
}

const mask = (value: string): string => value.replaceAll(/\d/g, "0");

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

/** The shortest time of some runs. A busy machine makes single runs longer, but not all of them. */
function shortestMs(read: (text: string) => unknown, text: string, enoughMs: number): number {
  let shortest = Infinity;
  for (let run = 0; run < 6 && shortest > enoughMs; run++) {
    const began = performance.now();
    try {
      read(text);
    } catch {
      // A reader may refuse a text, but not take long for it.
    }
    shortest = Math.min(shortest, performance.now() - began);
  }
  return shortest;
}

const SHORT = 4_000;
const DOUBLINGS = 3;

/** Shorter times say nothing about growth. */
const NOISE_MS = 2;

test.each(Object.entries(readers))("twice the text takes at most 2.5 times as long: %s", (_, read) => {
  const property = fc.property(texts, ({ begin, unit, end }) => {
    const textOf = (length: number): string => begin + unit.repeat(Math.ceil(length / unit.length)) + end;
    const before = shortestMs(read, textOf(SHORT), 0);
    const most = Math.max(before, NOISE_MS) * 2.5 ** DOUBLINGS;
    expect(shortestMs(read, textOf(SHORT * 2 ** DOUBLINGS), most)).toBeLessThanOrEqual(most);
  });
  fc.assert(property, { numRuns: 400 });
});
