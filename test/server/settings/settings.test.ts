import { createSandbox, OptionMistake, type SandboxOptions } from "../../../src/index.ts";
import { expect, test } from "vitest";
import { createSubscription, openPartner } from "../../partner.ts";
import { readConfiguration } from "../../../src/cli/config.ts";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";

/** Two values that have to agree were each compared with the default, not with the setting of the server. */
test("the assumptions of a new world are checked with those of its server", async () => {
  await using late = await openPartner({ assumptions: { "charge.window-max-days": 30 } });
  const made = await late.ask("POST", "/sandbox/worlds", {
    body: { assumptions: { "charge.window-min-days": 20 } },
  });
  expect(made.status).toBe(201);
  await using early = await openPartner({ assumptions: { "charge.window-max-days": 5 } });
  const refused = await early.ask("POST", "/sandbox/worlds", {
    body: { assumptions: { "charge.window-min-days": 8 } },
  });
  expect(refused.body["details"]).toMatchObject([
    {
      field: "assumptions",
      description: "The assumption charge.window-min-days is 8, which is after charge.window-max-days, 5.",
    },
  ]);
});

test("assumptions of a flag and of the file are checked together", async () => {
  const config = join(await mkdtemp(join(tmpdir(), "sandbank-")), "sandbank.config.yaml");
  await writeFile(config, "assumptions: { charge.window-max-days: 30 }\n");
  const inForce = (min: number) =>
    readConfiguration({ flags: { config, assume: [`charge.window-min-days=${min}`] }, environment: {} });
  expect(inForce(20).assume.value).toEqual({ "charge.window-min-days": "20", "charge.window-max-days": 30 });
  expect(() => inForce(40)).toThrow(
    `--assume, ${config}: assumptions cannot be used: The assumption charge.window-min-days is 40, which is after charge.window-max-days, 30.`,
  );
});

test.each([
  ["seed", "4294967295", { seed: 4294967295 }],
  ["start", "2026-11-20T09:00:00-03:00", { start: "2026-11-20T09:00:00-03:00" }],
  ["webhook-url", "HTTP://127.0.0.1:4011/Hooks", { webhookUrl: "HTTP://127.0.0.1:4011/Hooks" }],
  ["admin-token", "let-me-in", { adminToken: "let-me-in" }],
  ["world-idle", "P20D", { worldIdle: "P20D" }],
  ["egress-allow", ["10.1.0.0/16"], { egressAllow: ["10.1.0.0/16"] }],
  ["assume", ["refund.delay=PT1M"], { assumptions: { "refund.delay": "PT1M" } }],
])("--%s %j is accepted, and so is createSandbox(%j)", async (flag, written, options) => {
  const configuration = readConfiguration({ flags: { [flag]: written }, environment: {} });
  expect(configuration).toMatchObject({ [flag]: { source: `--${flag}` } });
  await using sandbox = await createSandbox(options);
  expect(sandbox).toBeDefined();
});

test.each([
  ["seed", "4294967296", { seed: 4294967296 }],
  ["seed", "1.5", { seed: 1.5 }],
  ["start", "2026-11-20", { start: "2026-11-20" }],
  ["start", "9999-12-31T00:00:00Z", { start: "9999-12-31T00:00:00Z" }],
  ["webhook-url", "127.0.0.1:4011", { webhookUrl: "127.0.0.1:4011" }],
  ["webhook-url", "ftp://127.0.0.1/", { webhookUrl: "ftp://127.0.0.1/" }],
  ["webhook-url", "http:127.0.0.1", { webhookUrl: "http:127.0.0.1" }],
  ["admin-token", "let me in", { adminToken: "let me in" }],
  ["admin-token", "", { adminToken: "" }],
  ["world-idle", "P21D", { worldIdle: "P21D" }],
  ["world-idle", "PT0S", { worldIdle: "PT0S" }],
  ["egress-allow", ["anywhere"], { egressAllow: ["anywhere"] }],
  ["fixtures", "", { fixtures: "" }],
  ["assume", ["refund.delay=soon"], { assumptions: { "refund.delay": "soon" } }],
  ["assume", ["refund.dely=PT1M"], { assumptions: { "refund.dely": "PT1M" } }],
])("--%s %j is refused, and so is createSandbox(%j)", async (flag, written, options) => {
  const read = () => readConfiguration({ flags: { [flag]: written }, environment: {} });
  expect(read).toThrow(`--${flag} `);
  await expect(createSandbox(options as SandboxOptions)).rejects.toBeInstanceOf(OptionMistake);
});

test("a URL is normalised in both", async () => {
  const environment = { SANDBANK_WEBHOOK_URL: "HTTP://Receiver.Example:80" };
  const { value } = readConfiguration({ flags: {}, environment })["webhook-url"];
  expect(value).toBe("http://receiver.example");
  await using partner = await openPartner({ webhookUrl: "HTTPS://Receiver.Example/Hooks" });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const events = await partner.sandbox.deliveries();
  expect(events.map(({ url }) => url as unknown)).toEqual(["https://receiver.example/Hooks"]);
});

test("createSandbox reports all wrong options together", async () => {
  const options = { seed: 2 ** 32, webhookUrl: "127.0.0.1:4011", adminToken: "a b", sead: 1 };
  const error: unknown = await createSandbox(options as never).catch((one: unknown) => one);
  expect((error as Error).message.split("\n")).toEqual([
    "The seed must be a whole number from 0 to 4294967295; found 4294967296.",
    'The webhookUrl must be an absolute http or https URL, such as http://127.0.0.1:4011/webhooks; found "127.0.0.1:4011".',
    "The adminToken must be a text of visible ASCII characters without blanks: it is sent in a header.",
    'There is no option "sead". Did you mean seed?',
  ]);
  await expect(createSandbox({ states: ["nowhere.yaml"] })).rejects.toThrow(
    "Failed to read provider states from nowhere.yaml: there is no such file or folder. Check the path.",
  );
});

test.each([
  [{ seed: "x" }, 'The seed must be a whole number from 0 to 4294967295; found "x".'],
  [{ seed: -1 }, "The seed must be a whole number from 0 to 4294967295; found -1."],
  [{ mode: "fast" }, 'The mode must be frozen or running; found "fast".'],
  [{ assumption: {} }, 'There is no option "assumption". Did you mean assumptions?'],
])("createSandbox refuses %j", async (options, sentence) => {
  await expect(createSandbox(options as never)).rejects.toThrow(sentence);
});

test("a wrong admin token is not printed", () => {
  const read = () => readConfiguration({ flags: { "admin-token": "my secret" }, environment: {} });
  expect(read).toThrow("--admin-token must be a text of visible ASCII characters without blanks");
  expect(read).not.toThrow("my secret");
});

test("listen checks its port as --port is checked", async () => {
  await using sandbox = await createSandbox();
  await expect(sandbox.listen({ port: 70_000 })).rejects.toThrow(
    "The port must be a whole number from 0 to 65535; found 70000.",
  );
});
