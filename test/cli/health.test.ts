import { expect, test } from "vitest";
import { createSandbox } from "../../src/library/sandbox.ts";
import { sandbank } from "./command.ts";

test("health is exit 0 if a sandbox answers, by flag or variable", async () => {
  await using sandbox = await createSandbox({ adminToken: "let-me-in" });
  const { url } = await sandbox.listen();
  const { code, out } = await sandbank("health", "--url", url);
  expect([code, out]).toEqual([0, `${url} is healthy\n`]);
  const env = { SANDBANK_PORT: new URL(url).port };
  expect((await sandbank({ env }, "health")).code).toBe(0);
});

test("health refuses a SANDBANK_PORT that is no port", async () => {
  const env = { SANDBANK_PORT: "tcp://10.0.0.1:4010" };
  const { code, err } = await sandbank({ env }, "health");
  expect(code).toBe(2);
  expect(err).toContain('SANDBANK_PORT must be a whole number from 1 to 65535; found "tcp://10.0.0.1:4010".');
});

test.each([
  [["--url", "http://127.0.0.1:1"], 1, "Failed to reach http://127.0.0.1:1"],
  [
    ["--url", "nowhere"],
    2,
    '--url must be an absolute http or https URL, such as http://127.0.0.1:4010; found "nowhere".',
  ],
])("health %j is exit %i with a sentence", async (flags, code, sentence) => {
  const finished = await sandbank("health", ...flags);
  expect(finished.code).toBe(code);
  expect(finished.err).toContain(sentence);
  expect(finished.err).not.toContain("    at ");
});
