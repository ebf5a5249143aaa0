import { banner } from "../../src/cli/serve.ts";
import { createSandbox } from "../../src/index.ts";
import { expect, test } from "vitest";

test("the banner names the pages, the credentials, the clock and the seed", async () => {
  await using sandbox = await createSandbox({
    seed: 7,
    start: "2026-11-20T09:00:00-03:00",
    adminToken: "secret",
  });
  const url = "http://127.0.0.1:4010";
  expect(await banner(sandbox, { url, adminToken: "secret", isInside: false })).toBe(`
  Dashboard       http://127.0.0.1:4010/
  Reference       http://127.0.0.1:4010/docs
  Token           acme-token (company acme)
  Webhook secret  acme-webhook-secret
  Webhooks go to  nowhere: no webhook URL is set. Set one: --webhook-url, the option webhookUrl, or the act webhook.set-url
  Clock           frozen at 2026-11-20T12:00:00.000Z
  Seed            7

`);
});

test("in a container the banner says that the published port may be another one", async () => {
  await using sandbox = await createSandbox();
  const shown = await banner(sandbox, {
    url: "http://127.0.0.1:4010",
    adminToken: undefined,
    isInside: true,
  });
  expect(shown).toContain(
    "Container       from the host, use the port that you published (-p) in these addresses\n",
  );
});
