import { expect, test } from "vitest";
import { type ReceiverAnswer, ScriptedReceiver } from "../../src/scenarios/receiver.ts";

const webhook = { url: "https://partner.example/hook", headers: {}, body: "{}" };

function outcome(answer: ReceiverAnswer): number | string {
  return "error" in answer ? answer.error : answer.status;
}

test("an unscripted receiver acknowledges everything and remembers it", () => {
  const receiver = new ScriptedReceiver();
  expect(receiver.answer(webhook)).toEqual({
    status: 200,
    headers: { "content-type": "application/json" },
    body: '{"returnCode":"OK"}',
  });
  expect(receiver.received).toEqual([webhook]);
});

test("a script gives one answer per attempt", () => {
  const receiver = new ScriptedReceiver();
  receiver.script([500, "timeout", "refuse", "reset"]);
  const outcomes = Array.from({ length: 6 }, () => outcome(receiver.answer(webhook)));
  expect(outcomes).toEqual([500, "timeout", "refused", "reset", 200, 200]);
});

test("a script with always repeats its last answer", () => {
  const receiver = new ScriptedReceiver();
  receiver.script([200, 503], { always: true });
  expect([1, 2, 3].map(() => outcome(receiver.answer(webhook)))).toEqual([200, 503, 503]);
});

test("a new script replaces what is left of the old one", () => {
  const receiver = new ScriptedReceiver();
  receiver.script([500], { always: true });
  receiver.script([]);
  expect(outcome(receiver.answer(webhook))).toBe(200);
});

test("a full answer is given as written, an object as JSON", () => {
  const receiver = new ScriptedReceiver();
  receiver.script([
    { status: 302, headers: { Location: "https://elsewhere.example" }, body: "moved" },
    { status: 200, body: { returnCode: "LATER" } },
    204,
  ]);
  expect(receiver.answer(webhook)).toMatchObject({
    headers: { location: "https://elsewhere.example" },
    body: "moved",
  });
  expect(receiver.answer(webhook)).toMatchObject({ body: '{"returnCode":"LATER"}' });
  expect(receiver.answer(webhook)).toEqual({ status: 204, headers: {}, body: "" });
});
