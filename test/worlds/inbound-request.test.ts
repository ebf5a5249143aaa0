import { expect, test } from "vitest";
import { InboundRequest } from "../../src/worlds/inbound-request.ts";
import { Simulation } from "../../src/engine/simulation.ts";

const HEAD = {
  method: "POST",
  path: "/sandbox/acts/order.pay",
  origin: "http://localhost",
  authorization: null,
  contentType: null,
  idempotencyKey: null,
};

const { records } = new Simulation({ seed: 1, start: 0, timerKinds: [], perform: () => undefined });

function answer(request: InboundRequest, body: object): void {
  request.answered(200, body, JSON.stringify(body));
  request.ended(200);
}

test("the input has the body and the answer, whether it was read before or after them", () => {
  const early = new InboundRequest(() => HEAD);
  const input = early.inputFor(records);
  early.bodyRead("{}");
  answer(early, { id: "a" });
  const late = new InboundRequest(() => HEAD);
  late.bodyRead("{}");
  answer(late, { id: "a" });
  const whole = { kind: "request", ...HEAD, text: "{}", status: 200, answer: '{"id":"a"}', size: 312 };
  expect([input, late.inputFor(records)]).toEqual([whole, whole]);
});

test("a picture in an answer is left out, and so is an answer as long as a report", () => {
  const pictured = new InboundRequest(() => HEAD);
  const input = pictured.inputFor(records);
  pictured.journaled();
  answer(pictured, {
    id: "a",
    image: "A".repeat(3_000),
    of: [{ image: "B".repeat(3_000), note: 'a "quoted" word' }],
  });
  expect(JSON.parse(input.answer ?? "")).toEqual({
    id: "a",
    image: null,
    of: [{ image: null, note: 'a "quoted" word' }],
  });
  const long = new InboundRequest(() => HEAD);
  const report = long.inputFor(records);
  long.journaled();
  answer(long, { data: Array.from({ length: 2_000 }, () => "a line of it") });
  expect(report).toMatchObject({ status: 200 });
  expect(report.answer).toBeUndefined();
});

test("of a long answer to a request that changed nothing only the outline is kept", () => {
  const reading = new InboundRequest(() => HEAD);
  const input = reading.inputFor(records);
  answer(reading, { id: "a", status: "PAID", description: "x".repeat(1_500) });
  expect(input.answer).toBe('{"id":"a","status":"PAID"}');
});

test("a body that is too long is shortened, and the input is marked so", () => {
  const request = new InboundRequest(() => HEAD);
  request.bodyRead("x".repeat(20_000));
  const { text, isAltered, size } = request.inputFor(records);
  expect([text?.length, isAltered, size]).toEqual([16_000, true, 16_300]);
});

test("a request becomes a note only where none of its commands made an entry", () => {
  const notes: string[] = [];
  const refused = new InboundRequest(() => HEAD);
  refused.changedNothing(() => notes.push("first"));
  refused.changedNothing(() => notes.push("second"));
  refused.ended(409);
  const done = new InboundRequest(() => HEAD);
  done.changedNothing(() => notes.push("third"));
  done.journaled();
  done.ended(200);
  expect(notes).toEqual(["second"]);
});
