import { afterEach, expect, test, vi } from "vitest";
import { buggyReceiver } from "../../partners/buggy-receiver.ts";
import { sandbank } from "../../cli/command.ts";
import { secretVariable } from "../../../src/server/settings/secret-variable.ts";

afterEach(() => void vi.unstubAllEnvs());

test("an empty variable with a secret counts as not set", async () => {
  await using receiver = await buggyReceiver({ secrets: ["acme-webhook-secret"] });
  const env = { SANDBANK_WEBHOOK_SECRET: "" };
  const { code, out } = await sandbank({ env }, "receiver", "check", receiver.url, "--only", "B1");
  expect([code, out]).toEqual([0, expect.stringContaining("B1")]);
});

test.each(["SANDBANK_ADMIN_TOKEN", "SANDBANK_WEBHOOK_SECRET", "PACT_BROKER_TOKEN"] as const)(
  "%s is undefined if it is empty",
  (name) => {
    vi.stubEnv(name, "");
    expect(secretVariable(name)).toBeUndefined();
    vi.stubEnv(name, "sesame");
    expect(secretVariable(name)).toBe("sesame");
  },
);
