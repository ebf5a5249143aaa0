import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { detail, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import { processorMs } from "../../processor-time.ts";

const PATH = "/sandbox/faults";

test("a new fault is answered with its id and its defaults, and is listed the same", async () => {
  await using partner = await openPartner();
  const fault = {
    on: "webhook",
    effect: "duplicate",
    event: "SUBSCRIPTION.*",
    attempt: [1],
    between: ["2026-11-20T09:00:00-03:00", "2026-11-20T10:00:00-03:00"],
    probability: 1,
    times: 2,
  };
  const made = await partner.ask("POST", PATH, { body: fault });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: "f1",
    ...fault,
    attempt: 1,
    between: ["2026-11-20T12:00:00.000Z", "2026-11-20T13:00:00.000Z"],
    copies: 1,
    gap: "PT0S",
    matches: 0,
    hits: 0,
    inForce: true,
  });
  expect((await partner.ask("GET", PATH)).body["data"]).toEqual([made.body]);
});

test("every effect is listed with its family, its fields and its words", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("GET", PATH);
  const effects = body["effects"] as SandboxObject[];
  expect(body["data"]).toEqual([]);
  expect(effects).toHaveLength(52);
  expect(effects.find(({ name }) => name === "bad-signature")).toMatchObject({
    on: "webhook",
    family: "signature",
    fields: { form: { kind: "choice", default: "flipped", required: false } },
  });
  expect(new Set(effects.map(({ family }) => family as string)).size).toBe(6);
});

test("faults are removed one by one or all together", async () => {
  await using partner = await openPartner();
  for (let index = 0; index < 3; index++) await partner.sandbox.fault({ on: "webhook", effect: "lose" });
  expect((await partner.ask("DELETE", `${PATH}/f2`)).body).toEqual({ id: "f2", dropped: true });
  expect((await partner.ask("DELETE", `${PATH}/f2`)).status).toBe(404);
  expect((await partner.ask("DELETE", PATH)).body).toEqual({ dropped: 2 });
  expect((await partner.ask("DELETE", PATH)).body).toEqual({ dropped: 0 });
  expect((await partner.sandbox.fault({ on: "webhook", effect: "lose" }))["id"]).toBe("f4");
});

test("the faults of one world are not those of another", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "lose" });
  const { companies } = (await partner.ask("POST", "/sandbox/worlds", { body: {} })).body;
  const { token } = (companies as { token: string }[])[0]!;
  expect((await partner.ask("GET", PATH, { token })).body["data"]).toEqual([]);
});

const REFUSED: readonly (readonly [field: string, fault: unknown, sentence: string])[] = [
  ["on", { effect: "drop" }, "webhook, api or clock"],
  ["on", { on: "wire", effect: "drop" }, "webhook, api or clock"],
  ["on", { on: "api", effect: "drop" }, "Send on: webhook."],
  ["effect", { on: "webhook" }, "must be the name of an effect"],
  ["effect", { on: "webhook", effect: 5 }, "must be the name of an effect"],
  ["effect", { on: "webhook", effect: "duplicte" }, "Did you mean duplicate?"],
  ["effect", { on: "webhook", effect: "toString" }, "There is no effect"],
  ["time", { on: "webhook", effect: "drop", time: 1 }, "Did you mean times?"],
  ["by", { on: "webhook", effect: "drop", by: "PT1S" }, "takes no field of its own"],
  ["by", { on: "webhook", effect: "delay" }, "is missing"],
  ["by", { on: "webhook", effect: "delay", by: "5s" }, "ISO 8601 duration"],
  ["by", { on: "webhook", effect: "delay", by: "-PT5S" }, "ISO 8601 duration"],
  ["by", { on: "webhook", effect: "delay", by: 5 }, "ISO 8601 duration"],
  ["by", { on: "webhook", effect: "delay", by: null }, "ISO 8601 duration"],
  ["after", { on: "webhook", effect: "duplicate-late" }, "is missing"],
  ["copies", { on: "webhook", effect: "duplicate", copies: 0 }, "from 1 to 20"],
  ["copies", { on: "webhook", effect: "duplicate", copies: 21 }, "from 1 to 20"],
  ["copies", { on: "webhook", effect: "duplicate", copies: 1.5 }, "whole number"],
  ["attempts", { on: "webhook", effect: "drop-first" }, "is missing"],
  ["form", { on: "webhook", effect: "bad-signature", form: "odder" }, "flipped, short"],
  ["encoding", { on: "webhook", effect: "canary-body", encoding: "bom" }, "decimal, escape"],
  ["bytes", { on: "webhook", effect: "large-body", bytes: "1 MB" }, "whole number"],
  ["value", { on: "webhook", effect: "content-type", value: "a\r\nb: c" }, "printable ASCII"],
  ["value", { on: "webhook", effect: "content-type" }, "is missing"],
  ["between", { on: "webhook", effect: "outage" }, "is missing"],
  ["between", { on: "webhook", effect: "drop", between: ["2026-11-20T09:00:00-03:00"] }, "two timestamps"],
  [
    "between",
    { on: "webhook", effect: "drop", between: ["2026-11-21T09:00:00Z", "2026-11-20T09:00:00Z"] },
    "the earlier first",
  ],
  ["between", { on: "webhook", effect: "drop", between: ["2026-11-20", "2026-11-21"] }, "with their offsets"],
  ["nth", { on: "webhook", effect: "drop", nth: 0 }, "from 1 on"],
  ["nth", { on: "webhook", effect: "drop", nth: "2" }, "from 1 on"],
  ["times", { on: "webhook", effect: "drop", times: -1 }, "from 1 on"],
  ["probability", { on: "webhook", effect: "drop", probability: 1.01 }, "from 0 to 1"],
  ["attempt", { on: "webhook", effect: "drop", attempt: [] }, "number of an attempt"],
  ["attempt", { on: "webhook", effect: "lose", attempt: 2 }, "before an event's first attempt"],
  ["attempt", { on: "api", effect: "reset", attempt: 1 }, "have no attempts"],
  ["event", { on: "api", effect: "reset", event: "*" }, "have no event"],
  [
    "event",
    { on: "webhook", effect: "drop", event: "SUBSCRIPTION.ACEPTED" },
    "Did you mean SUBSCRIPTION.ACCEPTED?",
  ],
  ["event", { on: "webhook", effect: "drop", event: "" }, "the name of an event"],
  ["operation", { on: "api", effect: "reset", operation: "listAccount" }, "Did you mean listAccounts?"],
  ["object", { on: "webhook", effect: "drop", object: {} }, "the id of an object"],
  ["by", { on: "api", effect: "latency", by: "PT1H" }, "ten minutes at most"],
  ["by", { on: "api", effect: "latency", by: "PT" }, "ten minutes at most"],
  ["status", { on: "api", effect: "error", status: 200 }, "from 400 to 599"],
  ["status", { on: "api", effect: "error" }, "is missing"],
];

test.each(REFUSED)("a wrong %s of %j is refused with what is right", async (field, fault, sentence) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", PATH, { body: fault });
  expect(refused).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
  expect(detail(refused, field)["description"]).toContain(sentence);
  expect((await partner.ask("GET", PATH)).body["data"]).toEqual([]);
});

test("a fault with 9,000 unknown fields is refused in a moment", async () => {
  await using partner = await openPartner();
  const fields = Array.from({ length: 9_000 }, (_, index) => [`field-of-the-number-${index}`, 1] as const);
  const durationOf = async (effect: string): Promise<number> => {
    const body = { on: "webhook", effect, by: "PT1H", ...Object.fromEntries(fields) };
    const begun = processorMs();
    expect((await partner.ask("POST", "/sandbox/faults", { body })).status).toBe(400);
    return processorMs() - begun;
  };
  const quickest = async (effect: string): Promise<number> =>
    Math.min(await durationOf(effect), await durationOf(effect), await durationOf(effect));
  const unread = await quickest("no-effect");
  // The nearest name is looked for only where it is shown.
  expect(await quickest("delay")).toBeLessThan(10 * unread);
});
