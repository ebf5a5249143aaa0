import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";
import { readConfiguration } from "../../src/cli/configuration/configuration.ts";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";

/** Two values that have to agree were each held against the default, not against what the server goes by. */
test("what a new world assumes is held against what its server assumes", async () => {
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

test("assumptions of a flag and of the file are held against each other", async () => {
  const config = join(await mkdtemp(join(tmpdir(), "sandbank-")), "sandbank.config.yaml");
  await writeFile(config, "assumptions: { charge.window-max-days: 30 }\n");
  const inForce = (min: number) =>
    readConfiguration({ flags: { config, assume: [`charge.window-min-days=${min}`] }, environment: {} });
  expect(inForce(20).assume.value).toEqual({ "charge.window-min-days": "20", "charge.window-max-days": 30 });
  expect(() => inForce(40)).toThrow(
    `--assume, ${config}: assumptions is wrong: The assumption charge.window-min-days is 40, which is after charge.window-max-days, 30.`,
  );
});

test("what createSandbox is given is checked as the flags are", async () => {
  await expect(createSandbox({ seed: 2 ** 32 })).rejects.toThrow(
    "The seed must be a whole number from 0 to 4294967295; found 4294967296.",
  );
  await expect(createSandbox({ webhookUrl: "127.0.0.1:4011" })).rejects.toThrow(
    'The webhookUrl must be an absolute http or https URL, such as http://127.0.0.1:4011/webhooks; found "127.0.0.1:4011".',
  );
  await expect(createSandbox({ adminToken: "" })).rejects.toThrow(
    "The adminToken must be a text of ASCII characters",
  );
  await expect(createSandbox({ states: ["nowhere.yaml"] })).rejects.toThrow(
    "Failed to read provider states from nowhere.yaml: there is no such file or folder. Check the path.",
  );
});
