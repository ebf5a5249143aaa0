import { expect, test } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { detail, openPartner } from "../../partner.ts";
import { join } from "node:path";
import { tmpdir } from "node:os";

const POSTED = `name: A gym is paid for
start: 2026-11-20T09:00:00-03:00
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
    expect: { webhooks: [{ event: SUBSCRIPTION.ACCEPTED }] }
`;

function fileWith(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-"));
  const file = join(folder, "opening.yaml");
  writeFileSync(file, text);
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("the scenarios that ship are listed, shown and run by name or by file, in a world of their own", async () => {
  await using partner = await openPartner();
  const { data } = (await partner.ask("GET", "/sandbox/scenarios")).body as {
    data: { name: string; file: string | null }[];
  };
  const accepted = data.find(({ file }) => file === "subscriptions/accepted.yaml");
  expect(data.length).toBeGreaterThan(50);
  for (const name of [encodeURIComponent(accepted?.name ?? ""), "subscriptions/accepted"]) {
    const { status, body } = await partner.ask("POST", `/sandbox/scenarios/${name}/run`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: accepted?.name, status: "passed", passed: 1, failed: 0 });
    expect(body["digest"]).toMatch(/^[0-9a-f]{64}$/);
    expect(body["file"]).toBe("subscriptions/accepted.yaml");
    expect(JSON.stringify(body)).not.toContain("durationMs");
    expect(JSON.stringify(body)).not.toContain(process.cwd());
  }
  expect((await partner.ask("GET", "/sandbox/scenarios/subscriptions/accepted")).body["text"]).toContain(
    "steps:",
  );
  expect((await partner.ask("GET", "/sandbox/timeline")).body["data"]).toHaveLength(1);
});

test("a scenario that is posted is kept, run, and replaced by one of its name", async () => {
  await using partner = await openPartner();
  const made = await partner.ask("POST", "/sandbox/scenarios", { body: POSTED });
  expect(made).toMatchObject({ status: 201, body: { name: "A gym is paid for", file: null } });
  const path = `/sandbox/scenarios/${encodeURIComponent("A gym is paid for")}/run`;
  expect((await partner.ask("POST", path)).body).toMatchObject({ status: "passed" });
  const other = POSTED.replace("SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.REJECTED");
  await partner.ask("POST", "/sandbox/scenarios", { body: JSON.stringify({ text: other }) });
  const failed = await partner.ask("POST", path, { body: { seed: 4 } });
  expect(failed).toMatchObject({ status: 200, body: { status: "failed", failed: 1 } });
  expect(failed.body["failure"]).toMatchObject({ step: 2, line: 7 });
});

test("a posted scenario with mistakes is refused with each mistake, its line and its column", async () => {
  await using partner = await openPartner();
  const body = POSTED.replace("createSubscription", "createSubscripton").replace(
    "subscription.accept",
    "subscription.acept",
  );
  const answered = await partner.ask("POST", "/sandbox/scenarios", { body });
  expect(answered.status).toBe(400);
  expect(answered.body["details"]).toHaveLength(2);
  expect(detail(answered, "line 4, column 11")).toMatchObject({
    line: 4,
    column: 11,
    description: "There is no operation `createSubscripton`. Did you mean `createSubscription`?",
  });
  expect((await partner.ask("POST", "/sandbox/scenarios", { body: "" })).status).toBe(400);
});

test("an unknown scenario is answered with the nearest name", async () => {
  await using partner = await openPartner();
  const { status, body } = await partner.ask("POST", "/sandbox/scenarios/subscriptions%2Faccepte/run");
  expect(status).toBe(404);
  expect(body["message"]).toContain('Did you mean "subscriptions/accepted"?');
  expect(
    (await partner.ask("POST", "/sandbox/scenarios/payouts/slow-key/run", { body: { seed: -1 } })).status,
  ).toBe(400);
});

test("a sandbox starts with a scenario, and a reset restores that state", async () => {
  using opening = fileWith(POSTED);
  await using sandbox = await createSandbox({ scenario: opening.file, mode: "running" });
  const states = async () => {
    const answer = await sandbox.fetch("/sandbox/resources/subscriptions");
    return ((await answer.json()) as { data: { status: string }[] }).data.map(({ status }) => status);
  };
  expect(await states()).toEqual(["ACCEPTED"]);
  const clock = (await (await sandbox.fetch("/sandbox/clock")).json()) as { mode: string; now: string };
  expect(clock.mode).toBe("running");
  expect(clock.now).toMatch(/^2026-11-20T12:0/);
  await sandbox.fetch("/sandbox/clock", { method: "PUT", body: JSON.stringify({ mode: "frozen" }) });
  await sandbox.advance("P1M");
  await sandbox.reset();
  expect(await states()).toEqual(["ACCEPTED"]);
  expect(await (await sandbox.fetch("/sandbox/clock")).json()).toMatchObject({ mode: "running" });
});

test("a sandbox does not start with a scenario that fails or has a mistake", async () => {
  using failing = fileWith(POSTED.replace("SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.REJECTED"));
  await expect(createSandbox({ scenario: failing.file })).rejects.toThrow(
    "opening.yaml:7:5: A gym is paid for",
  );
  using mistaken = fileWith(POSTED.replace("steps:", "stepz:"));
  await expect(createSandbox({ scenario: mistaken.file })).rejects.toThrow(
    "opening.yaml:3:1: `stepz` is not known",
  );
  await expect(createSandbox({ scenario: "no-such.yaml" })).rejects.toThrow("there is no such file");
});

test("a state is run with the given params, and an invalid param is refused", async () => {
  await using partner = await openPartner();
  const text = `state: so many
params: { count: { default: 1, schema: { type: integer } } }
returns: { count: "\${params.count}" }
steps: []
`;
  await partner.sandbox.fetch("/sandbox/scenarios", { method: "POST", body: text });
  const run = (params: object) =>
    partner.ask("POST", "/sandbox/scenarios/so%20many/run", { body: { params } });
  expect((await run({ count: 5 })).body).toMatchObject({ status: "passed", returns: { count: 5 } });
  expect(detail(await run({ count: "five" }), "params")).toMatchObject({ issue: "INVALID" });
  expect((await run({ cuont: 5 })).status).toBe(400);
});
