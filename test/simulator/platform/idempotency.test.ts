import { hash } from "node:crypto";
import type { Call } from "../../../src/simulator/platform/call.ts";
import type { Transaction } from "../../../src/simulator/engine/transaction.ts";
import { collection, compositeKey } from "../../../src/simulator/engine/collection.ts";
import { expect, test } from "vitest";
import { runOnce } from "../../../src/simulator/platform/idempotency.ts";
import { Simulation } from "../../../src/simulator/engine/simulation.ts";

const call = {
  companyId: "acme",
  params: {},
  query: {},
  body: { amount: "10.00", card: "4111111111111111" },
  problems: [],
  idempotencyKey: "key-1",
  sha256: (text) => hash("sha256", text),
  origin: () => "http://127.0.0.1:4010",
  worldId: "main",
} satisfies Call;

/** A simulation in which a POST with the call's key and body can be run, with the number of times it was carried out. */
function open() {
  const simulation = new Simulation({ seed: 1, start: 0, timerKinds: [] });
  let runs = 0;
  const execute = <T>(command: (tx: Transaction) => T) =>
    simulation.execute({ by: "call", name: "createOrder" }, command);
  const post = (changed: Partial<Call> = {}) =>
    execute((tx) =>
      runOnce(tx, {
        operationId: "createOrder",
        call: { ...call, ...changed },
        handler: () => ({ run: ++runs }),
      }),
    );
  return { simulation, execute, post };
}

test("a repeated request gets the first answer, whatever the order of its keys", () => {
  const { post } = open();
  expect(post()).toMatchObject({ value: { answer: { run: 1 }, isReplay: false } });
  const body = { card: "4111111111111111", amount: "10.00" };
  expect(post({ body })).toMatchObject({ value: { answer: { run: 1 }, isReplay: true } });
});

test.each([
  ["one digit of the body", { body: { ...call.body, amount: "10.01" } }],
  ["a path parameter", { params: { id: "x" } }],
])("a request that differs in %s is refused", (_what, changed) => {
  const { post } = open();
  post();
  expect(post(changed)).toMatchObject({ ok: false, refusal: { problems: [{ issue: "REUSED" }] } });
});

test("what is stored of a request does not contain its card number", () => {
  const { post, simulation } = open();
  post();
  expect(JSON.stringify(simulation.journal.since(1))).not.toContain("4111111111111111");
});

test("an answer stored by version 0.1.0 is returned again", () => {
  const { execute, post } = open();
  const answers = collection<{ id: string }>("idempotent-answers", {});
  execute((tx) =>
    tx.put(answers, {
      id: compositeKey("acme", "createOrder", "key-1"),
      fingerprint: "0123456789abcdef0123456789abcdef",
      answer: { run: "before" },
      forgottenAt: 86_400_000,
    } as { id: string }),
  );
  expect(post()).toMatchObject({ value: { answer: { run: "before" }, isReplay: true } });
});
