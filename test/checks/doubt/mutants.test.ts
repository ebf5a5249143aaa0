import { expect, test } from "vitest";
import {
  allMutants,
  byWorth,
  isNamed,
  isReached,
  nameOf,
  type Mutant,
} from "../../../src/checks/doubt/mutants.ts";

const all = allMutants();
const named = (name: string): Mutant => all.find((mutant) => nameOf(mutant) === name)!;

test("there is a mutant for each alternative of an assumption and for each sabotage", () => {
  expect(named("charge.resend-delay=PT90M")).toEqual({
    id: "charge.resend-delay",
    family: "doubts",
    says: "charge.resend-delay = PT90M instead of PT30M",
    behaviour: "A resend follows a settlement error after PT90M.",
    value: "PT90M",
    instead: "PT30M",
    confirmed: null,
  });
  expect(named("signatures.wrong")).toMatchObject({ family: "sabotage", value: null, instead: null });
  expect(new Set(all.map(nameOf)).size).toBe(all.length);
});

test("each changed behaviour is one sentence, about its value if there is one", () => {
  const behaviours = [
    "freedoms.unknown-event=true",
    "claim.unknown-key=reject",
    "charge.journey-3=false",
    "subscription.external-id-unique=false",
  ].map((name) => named(name).behaviour);
  expect(behaviours).toEqual([
    "After about one event in ten comes a further event about the same object.",
    "A key that is missing in the sandbox's directory can be claimed, like the key of another person at another institution; with reject the answer is INVALID_REQUEST, field key.value, issue NOT_FOUND.",
    "Subscriptions of both journeys take charges; with false, only subscriptions of journey 2 do.",
    "Not so: A company can use an externalId for only one subscription.",
  ]);
});

test("what belongs to the sandbox and not to the platform is no doubt", () => {
  expect(all.filter(({ id }) => /^webhook\.egress$|^autopilot\.(?!payer-delay$)/.test(id))).toEqual([]);
});

test("a platform without events is no doubt: nobody could act on it", () => {
  expect(all.filter(({ id, value }) => id.endsWith(".events") && value === "none")).toEqual([]);
  expect(all.map(nameOf)).toContain("order.events=paid");
});

test("what traffic has contradicted is no doubt, and what it has confirmed comes last", () => {
  const verdicts = new Map([
    ["charge.resend-delay", "contradicted"],
    ["http.statuses", "confirmed"],
  ]);
  const calibrated = allMutants({ verdicts, values: { "charge.resend-delay": "PT20M" } });
  expect(calibrated.filter(({ id }) => id === "charge.resend-delay")).toEqual([]);
  const ordered = byWorth(calibrated, { budget: Infinity, seed: 1 });
  expect(ordered.at(-1)).toMatchObject({ id: "http.statuses", confirmed: "confirmed" });
  expect(ordered[0]).toMatchObject({ family: "doubts", confirmed: "not-seen" });
});

test("a budget leaves the same mutants for the same seed", () => {
  const drawn = (seed: number) => byWorth(all, { budget: 5, seed }).map(nameOf);
  expect(drawn(1)).toHaveLength(5);
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
});

test.each([
  ["charge.resend-delay", true],
  ["charge.resend-delay=PT90M", true],
  ["charge.*", true],
  ["*", true],
  ["charge.resend-delay=PT15M", false],
  ["refund.*", false],
])("%s names a mutant of charge.resend-delay: %s", (name, isMeant) => {
  expect(isNamed(named("charge.resend-delay=PT90M"), [name])).toBe(isMeant);
});

test("a mutant is reached where the first run came near it", () => {
  const run = {
    assumptions: new Set(["charge.resend-delay"]),
    events: new Set(["ORDER-PAYIN.PAID"]),
    operations: new Set(["refundOrder"]),
    worlds: 1,
    set: new Map(),
    injected: 0,
    traffic: [],
    isWhole: true,
  };
  const reached = all.filter((mutant) => isReached(mutant, run)).map(({ id }) => id);
  expect(new Set(reached.filter((id) => !id.startsWith("freedoms.")))).toEqual(
    new Set([
      "charge.resend-delay",
      "event.ORDER-PAYIN.PAID.never",
      "event.ORDER-PAYIN.PAID.other-amount",
      "event.ORDER-PAYIN.PAID.failure",
      "operation.refundOrder.fails",
      "operation.refundOrder.other-amount",
      "signatures.wrong",
      "settlement.never",
      "clock.next-day-never",
    ]),
  );
});

test("each mutant of an assumption says its value, or how the platform behaves with it", () => {
  const doubts = allMutants().filter(({ family }) => family === "doubts");
  const silent = doubts.filter(({ behaviour = "", value }) => {
    const words = behaviour.replaceAll("`", "");
    return value !== "true" && value !== "false" && !words.includes(String(value));
  });
  expect(silent.map(({ id }) => id)).toEqual([]);
  const saysOf = (id: string): string | undefined => doubts.find((one) => one.id === id)?.behaviour;
  expect(saysOf("charge.retries-max")).toBe("A charge takes 2 new attempts after its due date.");
  expect(saysOf("payloads.unknown-fields")).toBe(
    "A field or query parameter that the platform API does not have is ignored; with strict, the request is refused.",
  );
  expect(saysOf("order.external-id-unique")).toBe("The external ids of a company's orders must be unique.");
});
