import { expect, test } from "vitest";
import { Inbound } from "../../src/worlds/inbound.ts";

const head = {
  method: "POST",
  path: "/sandbox/reset",
  origin: "http://localhost",
  authorization: null,
  contentType: null,
  idempotencyKey: null,
};

function answeredWith(request: Inbound, body: object): void {
  request.heard("{}");
  request.answered(body, JSON.stringify(body));
  request.ended(200);
}

test("a record tells what came of its request, whether it was taken before or after", () => {
  const request = new Inbound(() => head);
  const early = request.record;
  answeredWith(request, { id: "a" });
  const late = new Inbound(() => head);
  answeredWith(late, { id: "a" });
  const whole = { ...head, text: "{}", status: 200, answer: '{"id":"a"}' };
  expect([early, request.record, late.record]).toEqual([whole, whole, whole]);
});

test("a record keeps no picture, and no answer that is as long as a report", () => {
  const pictured = new Inbound(() => head);
  const { record } = pictured;
  answeredWith(pictured, { id: "a", image: "A".repeat(3_000), of: [{ image: "B".repeat(3_000) }] });
  expect(record.answer).toBe('{"id":"a","of":[{}]}');
  const long = new Inbound(() => head);
  const { record: report } = long;
  answeredWith(long, { data: Array.from({ length: 2_000 }, () => "a line of it") });
  expect(report).toMatchObject({ status: 200, answer: undefined });
});

test("the head of a request is read only where it is taken down", () => {
  let count = 0;
  const request = new Inbound(() => {
    count++;
    return head;
  });
  answeredWith(request, {});
  expect(count).toBe(0);
  expect([request.record, request.record, count]).toEqual([request.record, request.record, 1]);
});
