import { expect, test } from "vitest";
import { DURATION_MS } from "../../../src/simulator/engine/journal.ts";
import { InboundRequest } from "../../../src/simulator/worlds/inbound-request.ts";
import { qrImage } from "../../../src/simulator/platform/undrawn-qr-image.ts";
import { Simulation } from "../../../src/simulator/engine/simulation.ts";

const HEAD = {
  method: "POST",
  path: "/sandbox/acts/order.pay",
  origin: "http://localhost",
  headers: {},
};

const { records } = new Simulation({ seed: 1, start: 0, timerKinds: [] });

function answer(request: InboundRequest, body: object): void {
  request.answered(200, JSON.stringify(body), { a: "b" });
  request.ended(200, 1.26);
}

function inbound(): InboundRequest {
  return new InboundRequest(HEAD, "request-1");
}

test("the input has the body and the answer, whether it was read before or after them", () => {
  const early = inbound();
  const input = early.inputFor(records);
  early.bodyRead("{}");
  answer(early, { id: "a" });
  const late = inbound();
  late.bodyRead("{}");
  answer(late, { id: "a" });
  const whole = {
    kind: "request",
    ...HEAD,
    requestId: "request-1",
    company: null,
    text: "{}",
    status: 200,
    answer: '{"id":"a"}',
    answerHeaders: { a: "b" },
    size: 314,
    [DURATION_MS]: 1.3,
  };
  expect([input, late.inputFor(records)]).toEqual([whole, whole]);
});

test("how long the answer took is known and is no part of the journal", () => {
  const request = inbound();
  const input = request.inputFor(records);
  expect(input[DURATION_MS]).toBeUndefined();
  answer(request, {});
  expect([input[DURATION_MS], JSON.stringify(input).includes("1.3")]).toEqual([1.3, false]);
});

test("an image in an answer becomes a word, and of a long answer the beginning is kept", () => {
  const pictured = inbound();
  const input = pictured.inputFor(records);
  pictured.isJournaled = true;
  answer(pictured, {
    id: "a",
    image: qrImage("one"),
    of: [{ image: qrImage("two"), note: 'a "quoted" word' }],
  });
  expect(JSON.parse(input.answer ?? "")).toEqual({
    id: "a",
    image: "(image)",
    of: [{ image: "(image)", note: 'a "quoted" word' }],
  });
  const long = inbound();
  const report = long.inputFor(records);
  long.isJournaled = true;
  answer(long, { data: Array.from({ length: 2_000 }, () => "a line of it") });
  expect(report).toMatchObject({ status: 200, isAnswerCut: true });
  expect(report.answer).toHaveLength(16_000);
});

test("a body that is too long is shortened, and the input is marked so", () => {
  const request = inbound();
  request.bodyRead("x".repeat(20_000));
  const { text, isAltered, size } = request.inputFor(records);
  expect([text?.length, isAltered, size]).toEqual([16_000, true, 16_300]);
});

test("a request becomes a note only where none of its commands made an entry", () => {
  const notes: string[] = [];
  const refused = inbound();
  refused.changedNothing(() => notes.push("first"));
  refused.changedNothing(() => notes.push("second"));
  refused.ended(409, 1);
  const done = inbound();
  done.changedNothing(() => notes.push("third"));
  done.isJournaled = true;
  done.ended(200, 1);
  expect(notes).toEqual(["second"]);
});
